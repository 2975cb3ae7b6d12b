import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.HexFormat;
import org.eclipse.leshan.core.endpoint.Protocol;
import org.eclipse.leshan.core.observation.Observation;
import org.eclipse.leshan.core.peer.OscoreIdentity;
import org.eclipse.leshan.core.request.ContentFormat;
import org.eclipse.leshan.core.request.ObserveRequest;
import org.eclipse.leshan.server.LeshanServer;
import org.eclipse.leshan.server.LeshanServerBuilder;
import org.eclipse.leshan.server.registration.Registration;
import org.eclipse.leshan.server.registration.RegistrationListener;
import org.eclipse.leshan.server.registration.RegistrationUpdate;
import org.eclipse.leshan.servers.security.SecurityInfo;
import org.eclipse.leshan.servers.security.SecurityStore;
import org.eclipse.leshan.transport.californium.server.endpoint.CaliforniumServerEndpointsProvider;
import org.eclipse.leshan.transport.californium.server.endpoint.coap.CoapServerProtocolProvider;
import org.eclipse.leshan.transport.californium.server.endpoint.coaps.CoapsServerProtocolProvider;

/**
 * An LwM2M server on Eclipse Leshan that keeps everything in memory. It observes the paths it is given of every device of type
 * "simulated".
 *
 *   MemoryServer COAP_PORT COAPS_PORT KEY_HEX SECURE_PREFIX PATH...
 *
 * Each byte on standard input is answered with the bytes of its heap after garbage collection.
 *
 * Devices whose names begin with SECURE_PREFIX have that pre-shared key; their identity is "id-" and the name.
 */
public class MemoryServer {
    public static void main(String[] args) throws Exception {
        byte[] key = HexFormat.of().parseHex(args[2]);
        String prefix = args[3];
        var protocols = new CaliforniumServerEndpointsProvider.Builder(
                new CoapServerProtocolProvider(), new CoapsServerProtocolProvider());
        protocols.addEndpoint(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), Protocol.COAP);
        protocols.addEndpoint(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[1])), Protocol.COAPS);
        LeshanServerBuilder builder = new LeshanServerBuilder();
        builder.setEndpointsProviders(protocols.build());
        builder.setSecurityStore(new SecurityStore() {
            @Override
            public SecurityInfo getByEndpoint(String name) {
                return name.startsWith(prefix) ? SecurityInfo.newPreSharedKeyInfo(name, "id-" + name, key) : null;
            }

            @Override
            public SecurityInfo getByIdentity(String identity) {
                return identity.startsWith("id-") ? getByEndpoint(identity.substring(3)) : null;
            }

            @Override
            public SecurityInfo getByOscoreIdentity(OscoreIdentity identity) {
                return null;
            }
        });
        LeshanServer server = builder.build();
        server.getRegistrationService().addListener(new RegistrationListener() {
            @Override
            public void registered(Registration device, Registration before, Collection<Observation> observed) {
                if (!"simulated".equals(device.getAdditionalRegistrationAttributes().get("et"))) return;
                for (int at = 4; at < args.length; at++)
                    server.send(device, new ObserveRequest(ContentFormat.TEXT, args[at]), answer -> {}, error -> {
                        System.err.println(device.getEndpoint() + ": " + error);
                    });
            }

            @Override
            public void updated(RegistrationUpdate update, Registration after, Registration before) {}

            @Override
            public void unregistered(
                    Registration device, Collection<Observation> observed, boolean expired, Registration next) {}
        });
        server.start();
        System.out.println("ready " + args[0]);
        while (System.in.read() >= 0) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            System.out.println(runtime.totalMemory() - runtime.freeMemory());
        }
        System.exit(0);
    }
}
