import org.eclipse.leshan.client.resource.BaseInstanceEnabler;
import org.eclipse.leshan.client.servers.LwM2mServer;
import org.eclipse.leshan.core.model.ObjectModel;
import org.eclipse.leshan.core.model.ResourceModel.Operations;
import org.eclipse.leshan.core.model.ResourceModel.Type;
import org.eclipse.leshan.core.response.ReadResponse;

/** Object 10252 of the update client, as far as its result goes. */
public class Manifest extends BaseInstanceEnabler {

    static final int OBJECT = 10252;

    private long result = 0;

    public Manifest() {}

    static ObjectModel model() {
        return new ObjectModel(OBJECT, "Firmware Manifest", "", "1.0", false, false,
            Thermometer.resource(2, "State", Operations.R, Type.INTEGER),
            Thermometer.resource(3, "Manifest Result", Operations.R, Type.INTEGER));
    }

    void set(long newResult) {
        result = newResult;
        fireResourceChange(3);
    }

    @Override
    public ReadResponse read(LwM2mServer server, int resource) {
        return resource == 2 || resource == 3
            ? ReadResponse.success(resource, resource == 3 ? result : 0L)
            : super.read(server, resource);
    }
}
