import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.eclipse.californium.core.config.CoapConfig;
import org.eclipse.californium.elements.config.Configuration;
import org.eclipse.leshan.client.LeshanClient;
import org.eclipse.leshan.client.LeshanClientBuilder;
import org.eclipse.leshan.client.engine.DefaultRegistrationEngineFactory;
import org.eclipse.leshan.client.object.Device;
import org.eclipse.leshan.client.object.Security;
import org.eclipse.leshan.client.object.Server;
import org.eclipse.leshan.client.observer.LwM2mClientObserverAdapter;
import org.eclipse.leshan.client.resource.BaseInstanceEnabler;
import org.eclipse.leshan.client.resource.ObjectsInitializer;
import org.eclipse.leshan.client.servers.LwM2mServer;
import org.eclipse.leshan.core.LwM2mId;
import org.eclipse.leshan.core.ResponseCode;
import org.eclipse.leshan.core.model.ObjectLoader;
import org.eclipse.leshan.core.model.ObjectModel;
import org.eclipse.leshan.core.model.ResourceModel;
import org.eclipse.leshan.core.model.ResourceModel.Operations;
import org.eclipse.leshan.core.model.ResourceModel.Type;
import org.eclipse.leshan.core.model.StaticModel;
import org.eclipse.leshan.core.node.LwM2mResource;
import org.eclipse.leshan.core.request.ContentFormat;
import org.eclipse.leshan.core.request.DeregisterRequest;
import org.eclipse.leshan.core.request.RegisterRequest;
import org.eclipse.leshan.core.request.UpdateRequest;
import org.eclipse.leshan.core.request.argument.Arguments;
import org.eclipse.leshan.core.response.ExecuteResponse;
import org.eclipse.leshan.core.response.ReadResponse;
import org.eclipse.leshan.core.response.WriteResponse;
import org.eclipse.leshan.transport.californium.client.endpoint.CaliforniumClientEndpointsProvider;
import org.eclipse.leshan.transport.californium.client.endpoint.coap.CoapClientProtocolProvider;

/**
 * A thermometer on the Eclipse Leshan client, for tests: `java -cp ".:libs/*" LeshanDevice URL NAME LIFETIME`.
 * Says what happens on standard output, one line each; takes commands on standard input:
 * `set 21.5`, `update`, `firmware 1` (state idle, this result), `send 110 /3303/0/5700 …` (Content-Format, paths), `stop`
 * (deregisters), `end`.
 */
public class LeshanDevice {

    static final int TEMPERATURE = 3303;

    static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    public static class Thermometer extends BaseInstanceEnabler {
        private double value = 20.0;
        private String application = "hall";

        public Thermometer() {}

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
            say("written " + resource + " " + application);
            return WriteResponse.success();
        }

        @Override
        public ExecuteResponse execute(LwM2mServer server, int resource, Arguments arguments) {
            say("executed " + resource);
            return resource == 5605 ? ExecuteResponse.success() : super.execute(server, resource, arguments);
        }
    }

    /** Object 5: says how large a package was that the server wrote. */
    public static class Firmware extends BaseInstanceEnabler {
        private long result = 0;

        public Firmware() {}

        void set(long newResult) {
            result = newResult;
            fireResourceChange(5);
        }

        @Override
        public ReadResponse read(LwM2mServer server, int resource) {
            switch (resource) {
                case 3:
                    return ReadResponse.success(resource, 0L);
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
            say("package " + bytes.length + " " + Arrays.hashCode(bytes));
            return WriteResponse.success();
        }
    }

    static void send(LeshanClient client, String[] words) throws Exception {
        LwM2mServer server = client.getRegisteredServers().values().iterator().next();
        List<String> paths = Arrays.asList(words).subList(2, words.length);
        ContentFormat format = ContentFormat.fromCode(Integer.parseInt(words[1]));
        say("sent " + client.getSendService().sendData(server, format, paths, 60_000).getCode());
    }

    /** Californium takes bodies of 8 KiB unless told otherwise. */
    static CaliforniumClientEndpointsProvider endpoints() {
        CaliforniumClientEndpointsProvider.Builder builder =
            new CaliforniumClientEndpointsProvider.Builder(new CoapClientProtocolProvider());
        Configuration configuration = builder.createDefaultConfiguration();
        configuration.set(CoapConfig.MAX_RESOURCE_BODY_SIZE, 2 * 1024 * 1024);
        return builder.setConfiguration(configuration).build();
    }

    static ResourceModel resource(int id, String name, Operations operations, Type type) {
        return new ResourceModel(id, name, operations, false, false, type, "", "", "");
    }

    static List<ObjectModel> models() {
        List<ObjectModel> models = new ArrayList<>(ObjectLoader.loadDefault());
        models.add(
            new ObjectModel(TEMPERATURE, "Temperature", "", "1.0", true, false,
                resource(5700, "Sensor Value", Operations.R, Type.FLOAT),
                resource(5701, "Sensor Units", Operations.R, Type.STRING),
                resource(5605, "Reset Min and Max Measured Values", Operations.E, Type.NONE),
                resource(5750, "Application Type", Operations.RW, Type.STRING)));
        return models;
    }

    static class Reporter extends LwM2mClientObserverAdapter {
        @Override
        public void onRegistrationSuccess(LwM2mServer server, RegisterRequest request, String registrationId) {
            say("registered " + registrationId);
        }

        @Override
        public void onRegistrationFailure(LwM2mServer server, RegisterRequest request, ResponseCode code, String message, Exception cause) {
            say("refused " + code);
        }

        @Override
        public void onRegistrationTimeout(LwM2mServer server, RegisterRequest request) {
            say("timed-out");
        }

        @Override
        public void onUpdateSuccess(LwM2mServer server, UpdateRequest request) {
            say("updated");
        }

        @Override
        public void onUpdateFailure(LwM2mServer server, UpdateRequest request, ResponseCode code, String message, Exception cause) {
            say("update-refused " + code);
        }

        @Override
        public void onDeregistrationSuccess(LwM2mServer server, DeregisterRequest request) {
            say("deregistered");
        }
    }

    static void obey(String line, LeshanClient client, Thermometer thermometer, Firmware firmware) {
        try {
            if (line.startsWith("set ")) thermometer.set(Double.parseDouble(line.substring(4)));
            if (line.startsWith("firmware ")) firmware.set(Long.parseLong(line.substring(9)));
            if (line.startsWith("send ")) send(client, line.split(" "));
            if (line.equals("update")) client.triggerRegistrationUpdate();
            if (line.equals("stop")) client.stop(true);
        } catch (Exception error) {
            say("failed " + line + " " + error);
        }
    }

    /** Threads of the library keep the process alive: an error ends it. */
    public static void main(String[] args) {
        try {
            run(args);
            System.exit(0);
        } catch (Exception error) {
            say("not started " + error);
            System.exit(1);
        }
    }

    static void run(String[] args) throws Exception {
        Thermometer thermometer = new Thermometer();
        ObjectsInitializer objects = new ObjectsInitializer(new StaticModel(models()));
        objects.setInstancesForObject(LwM2mId.SECURITY, Security.noSec(args[0], 123));
        objects.setInstancesForObject(LwM2mId.SERVER, new Server(123, Integer.parseInt(args[2])));
        objects.setInstancesForObject(LwM2mId.DEVICE, new Device("Eclipse Leshan", "thermometer", args[1]));
        Firmware firmware = new Firmware();
        objects.setInstancesForObject(LwM2mId.FIRMWARE, firmware);
        objects.setInstancesForObject(TEMPERATURE, thermometer);
        DefaultRegistrationEngineFactory engine = new DefaultRegistrationEngineFactory();
        engine.setRetryWaitingTimeInMs(1000);
        LeshanClient client = new LeshanClientBuilder(args[1])
            .setObjects(objects.createAll())
            .setRegistrationEngineFactory(engine)
            .setEndpointsProviders(endpoints())
            .build();
        client.addObserver(new Reporter());
        client.start();
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null && !line.equals("end"); line = commands.readLine()) {
            obey(line, client, thermometer, firmware);
        }
        client.destroy(true);
        say("ended");
    }
}
