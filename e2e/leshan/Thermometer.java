import org.eclipse.leshan.client.resource.BaseInstanceEnabler;
import org.eclipse.leshan.client.servers.LwM2mServer;
import org.eclipse.leshan.core.model.ObjectModel;
import org.eclipse.leshan.core.model.ResourceModel;
import org.eclipse.leshan.core.model.ResourceModel.Operations;
import org.eclipse.leshan.core.model.ResourceModel.Type;
import org.eclipse.leshan.core.node.LwM2mResource;
import org.eclipse.leshan.core.request.argument.Arguments;
import org.eclipse.leshan.core.response.ExecuteResponse;
import org.eclipse.leshan.core.response.ReadResponse;
import org.eclipse.leshan.core.response.WriteResponse;

/** Object 3303. */
public class Thermometer extends BaseInstanceEnabler {

    static final int OBJECT = 3303;

    private double value = 20.0;
    private String application = "hall";

    public Thermometer() {}

    static ResourceModel resource(int id, String name, Operations operations, Type type) {
        return new ResourceModel(id, name, operations, false, false, type, "", "", "");
    }

    static ObjectModel model() {
        return new ObjectModel(OBJECT, "Temperature", "", "1.0", true, false,
            resource(5700, "Sensor Value", Operations.R, Type.FLOAT),
            resource(5701, "Sensor Units", Operations.R, Type.STRING),
            resource(5605, "Reset Min and Max Measured Values", Operations.E, Type.NONE),
            resource(5750, "Application Type", Operations.RW, Type.STRING));
    }

    void set(double newValue) {
        value = newValue;
        fireResourceChange(5700);
    }

    @Override
    public ReadResponse read(LwM2mServer server, int resource) {
        switch (resource) {
            case 5700:
                return ReadResponse.success(resource, value);
            case 5701:
                return ReadResponse.success(resource, "Cel");
            case 5750:
                return ReadResponse.success(resource, application);
            default:
                return super.read(server, resource);
        }
    }

    @Override
    public WriteResponse write(LwM2mServer server, boolean replace, int resource, LwM2mResource given) {
        if (resource != 5750) return super.write(server, replace, resource, given);
        application = String.valueOf(given.getValue());
        LeshanDevice.say("written " + resource + " " + application);
        return WriteResponse.success();
    }

    @Override
    public ExecuteResponse execute(LwM2mServer server, int resource, Arguments arguments) {
        if (resource != 5605) return super.execute(server, resource, arguments);
        LeshanDevice.say("executed " + resource + (arguments.isEmpty() ? "" : " " + arguments.serialize()));
        return ExecuteResponse.success();
    }
}
