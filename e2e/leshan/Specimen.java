import java.util.Date;
import java.util.Map;
import java.util.TreeMap;
import java.util.Arrays;
import java.util.HexFormat;
import org.eclipse.leshan.client.resource.SimpleInstanceEnabler;
import org.eclipse.leshan.client.servers.LwM2mServer;
import org.eclipse.leshan.core.node.LwM2mMultipleResource;
import org.eclipse.leshan.core.node.LwM2mResource;
import org.eclipse.leshan.core.node.LwM2mResourceInstance;
import org.eclipse.leshan.core.node.LwM2mSingleResource;
import org.eclipse.leshan.core.node.ObjectLink;
import org.eclipse.leshan.core.response.WriteResponse;
import org.eclipse.leshan.core.util.datatype.ULong;

/** Object 33010 of specimen.xml: a resource of every type. */
public class Specimen extends SimpleInstanceEnabler {

    static final int OBJECT = 33010;
    static final int SHORT_BYTES = 16;

    public Specimen() {}

    /** Other values, all at once. */
    void vary(int n) {
        show(
            LwM2mSingleResource.newStringResource(0, "text " + n),
            LwM2mSingleResource.newIntegerResource(1, -1000L * n),
            LwM2mSingleResource.newFloatResource(2, n + 0.5),
            LwM2mSingleResource.newBooleanResource(3, n % 2 == 1),
            LwM2mSingleResource.newBinaryResource(4, new byte[] {0, (byte) n}),
            LwM2mSingleResource.newDateResource(5, new Date(1_700_000_000_000L + 1000L * n)),
            LwM2mSingleResource.newObjectLinkResource(6, new ObjectLink(3303, n)),
            LwM2mSingleResource.newUnsignedIntegerResource(7, ULong.valueOf(3_000_000_000L + n)),
            LwM2mMultipleResource.newStringResource(8, Map.of(0, "a" + n, 7, "b" + n)));
    }

    /** Resource 4 of so many bytes. */
    void fill(int bytes) {
        byte[] value = new byte[bytes];
        for (int at = 0; at < bytes; at++) value[at] = (byte) (at * 31);
        show(LwM2mSingleResource.newBinaryResource(4, value));
    }

    private void show(LwM2mResource... all) {
        for (LwM2mResource one : all) resources.put(one.getId(), one);
        fireResourcesChange(getResourcePaths(Arrays.stream(all).mapToInt(LwM2mResource::getId).toArray()));
    }

    static String words(Object value) {
        if (value instanceof byte[]) {
            byte[] bytes = (byte[]) value;
            return bytes.length <= SHORT_BYTES ? HexFormat.of().formatHex(bytes) : bytes.length + " " + Arrays.hashCode(bytes);
        }
        return value instanceof Date ? String.valueOf(((Date) value).getTime() / 1000) : String.valueOf(value);
    }

    static String words(LwM2mResource resource) {
        if (!resource.isMultiInstances()) return words(resource.getValue());
        Map<Integer, String> all = new TreeMap<>();
        resource.getInstances().forEach((id, instance) -> all.put(id, words(instance.getValue())));
        return all.toString();
    }

    @Override
    public WriteResponse write(LwM2mServer server, boolean replace, int resource, LwM2mResource given) {
        WriteResponse response = super.write(server, replace, resource, given);
        LeshanDevice.say("written " + resource + " " + words(given));
        return response;
    }

    @Override
    public WriteResponse write(LwM2mServer server, boolean replace, int resource, int instance, LwM2mResourceInstance given) {
        LeshanDevice.say("written " + resource + "/" + instance + " " + words(given.getValue()));
        return WriteResponse.success();
    }
}
