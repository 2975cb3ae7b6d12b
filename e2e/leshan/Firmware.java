import java.util.Arrays;
import org.eclipse.leshan.client.resource.BaseInstanceEnabler;
import org.eclipse.leshan.client.servers.LwM2mServer;
import org.eclipse.leshan.core.node.LwM2mResource;
import org.eclipse.leshan.core.response.ReadResponse;
import org.eclipse.leshan.core.response.WriteResponse;

/** Object 5: says how large a package was that the server wrote, and its state and result are what they are told. */
public class Firmware extends BaseInstanceEnabler {

    private long state = 0;
    private long result = 0;

    public Firmware() {}

    void set(long newState, long newResult) {
        state = newState;
        result = newResult;
        fireResourcesChange(getResourcePaths(3, 5));
    }

    @Override
    public ReadResponse read(LwM2mServer server, int resource) {
        switch (resource) {
            case 3:
                return ReadResponse.success(resource, state);
            case 5:
                return ReadResponse.success(resource, result);
            default:
                return super.read(server, resource);
        }
    }

    @Override
    public WriteResponse write(LwM2mServer server, boolean replace, int resource, LwM2mResource given) {
        if (resource != 0) return super.write(server, replace, resource, given);
        byte[] bytes = (byte[]) given.getValue();
        LeshanDevice.say("package " + bytes.length + " " + Arrays.hashCode(bytes));
        return WriteResponse.success();
    }
}
