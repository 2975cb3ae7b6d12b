import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.eclipse.californium.core.config.CoapConfig;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.elements.config.Configuration;
import org.eclipse.californium.scandium.config.DtlsConfig;
import org.eclipse.leshan.client.LeshanClient;
import org.eclipse.leshan.client.LeshanClientBuilder;
import org.eclipse.leshan.client.endpoint.LwM2mClientEndpoint;
import org.eclipse.leshan.client.engine.DefaultRegistrationEngineFactory;
import org.eclipse.leshan.client.object.Device;
import org.eclipse.leshan.client.object.Security;
import org.eclipse.leshan.client.object.Server;
import org.eclipse.leshan.client.observer.LwM2mClientObserverAdapter;
import org.eclipse.leshan.client.resource.ObjectsInitializer;
import org.eclipse.leshan.client.servers.LwM2mServer;
import org.eclipse.leshan.core.LwM2mId;
import org.eclipse.leshan.core.ResponseCode;
import org.eclipse.leshan.core.model.ObjectLoader;
import org.eclipse.leshan.core.model.ObjectModel;
import org.eclipse.leshan.core.model.StaticModel;
import org.eclipse.leshan.core.request.BootstrapRequest;
import org.eclipse.leshan.core.request.ContentFormat;
import org.eclipse.leshan.core.request.DeregisterRequest;
import org.eclipse.leshan.core.request.RegisterRequest;
import org.eclipse.leshan.core.request.UpdateRequest;
import org.eclipse.leshan.transport.californium.client.endpoint.CaliforniumClientEndpoint;
import org.eclipse.leshan.transport.californium.client.endpoint.CaliforniumClientEndpointsProvider;
import org.eclipse.leshan.transport.californium.client.endpoint.coap.CoapClientProtocolProvider;
import org.eclipse.leshan.transport.californium.client.endpoint.coaps.CoapsClientProtocolProvider;

/**
 * A device on the Eclipse Leshan client, for tests: `java -cp ".:libs/*" LeshanDevice URL NAME LIFETIME OPTION…`. Options:
 * `queue` (queue mode), `bootstrap` (URL is that of the bootstrap server), `formats=1542,1543` (the first is its default), `specimen=PATH` (the
 * definition of object 33010, which it then has), and over `coaps:`, with connection ids, `psk=IDENTITY,KEY` (hexadecimal) or
 * `x509=CERTIFICATE,PRIVATE_KEY,SERVER_CERTIFICATE` or `raw=PUBLIC_KEY,PRIVATE_KEY,SERVER_PUBLIC_KEY` (PEM files).
 * Says what happens on standard output, one line each; takes commands on standard input: `set 21.5`, `vary 3`,
 * `fill 20000`, `update`, `firmware 0 1` (state, result), `send 110 /3303/0/5700 …` (Content-Format, paths),
 * `results 110 18 21 …` (of the update client, each sent), `stop` (deregisters), `restart` (registers again), `end`.
 */
public class LeshanDevice {

    static final int SEND_TIMEOUT_MS = 60_000;
    static final int CONNECTION_ID_BYTES = 6;

    static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private final Thermometer thermometer = new Thermometer();
    private final Firmware firmware = new Firmware();
    private final Manifest manifest = new Manifest();
    private final Specimen specimen = new Specimen();
    private final CaliforniumClientEndpointsProvider endpoints = endpoints();
    private final LeshanClient client;

    LeshanDevice(String url, String name, int lifetimeSeconds, List<String> options) throws Exception {
        Formats formats = formats(options);
        String definition = option(options, "specimen=");
        ObjectsInitializer objects = new ObjectsInitializer(new StaticModel(models(definition)));
        boolean bootstrap = options.contains("bootstrap");
        objects.setInstancesForObject(LwM2mId.SECURITY, account(url, bootstrap, options));
        if (bootstrap) objects.setClassForObject(LwM2mId.SERVER, Server.class);
        else objects.setInstancesForObject(LwM2mId.SERVER, new Server(Account.SHORT_SERVER_ID, lifetimeSeconds));
        objects.setInstancesForObject(LwM2mId.DEVICE, new Device("Eclipse Leshan", "thermometer", name));
        objects.setInstancesForObject(LwM2mId.FIRMWARE, firmware);
        objects.setInstancesForObject(Thermometer.OBJECT, thermometer);
        objects.setInstancesForObject(Manifest.OBJECT, manifest);
        if (definition != null) objects.setInstancesForObject(Specimen.OBJECT, specimen);
        DefaultRegistrationEngineFactory engine = new DefaultRegistrationEngineFactory();
        engine.setRetryWaitingTimeInMs(1000);
        engine.setQueueMode(options.contains("queue"));
        LeshanClientBuilder builder = new LeshanClientBuilder(name);
        if (formats != null) {
            builder.setEncoder(formats.encoder()).setDecoder(formats.decoder());
            for (int object : new int[] {LwM2mId.DEVICE, Thermometer.OBJECT, Specimen.OBJECT})
                objects.setDefaultContentFormat(object, formats.first());
        }
        client = builder
            .setObjects(objects.createAll())
            .setRegistrationEngineFactory(engine)
            .setEndpointsProviders(endpoints)
            .build();
        client.addObserver(new Reporter());
    }

    private static Security account(String url, boolean bootstrap, List<String> options) throws Exception {
        String psk = option(options, "psk=");
        if (psk != null) return Account.withKey(url, bootstrap, psk);
        String x509 = option(options, "x509=");
        if (x509 != null) return Account.withCertificate(url, bootstrap, x509);
        String raw = option(options, "raw=");
        return raw == null ? Account.of(url, bootstrap) : Account.withRawPublicKey(url, bootstrap, raw);
    }

    private static String option(List<String> options, String name) {
        return options.stream().filter(one -> one.startsWith(name)).map(one -> one.substring(name.length())).findFirst().orElse(null);
    }

    private static Formats formats(List<String> options) {
        String numbers = option(options, "formats=");
        return numbers == null ? null : new Formats(Arrays.stream(numbers.split(",")).mapToInt(Integer::parseInt).toArray());
    }

    private static List<ObjectModel> models(String definition) throws Exception {
        List<ObjectModel> models = new ArrayList<>(ObjectLoader.loadDefault());
        models.add(Thermometer.model());
        models.add(Manifest.model());
        if (definition == null) return models;
        try (InputStream in = new FileInputStream(definition)) {
            models.addAll(ObjectLoader.loadDdfFile(in, definition));
        }
        return models;
    }

    /** Californium takes bodies of 8 KiB unless told otherwise. */
    private static CaliforniumClientEndpointsProvider endpoints() {
        CaliforniumClientEndpointsProvider.Builder builder =
            new CaliforniumClientEndpointsProvider.Builder(new CoapClientProtocolProvider(), new CoapsClientProtocolProvider());
        Configuration configuration = builder.createDefaultConfiguration();
        configuration.set(CoapConfig.MAX_RESOURCE_BODY_SIZE, 2 * 1024 * 1024);
        configuration.set(DtlsConfig.DTLS_CONNECTION_ID_LENGTH, CONNECTION_ID_BYTES);
        return builder.setConfiguration(configuration).build();
    }

    private class Reporter extends LwM2mClientObserverAdapter {
        /** Each time it starts, the client has new endpoints. */
        @Override
        public void onRegistrationStarted(LwM2mServer server, RegisterRequest request) {
            for (LwM2mClientEndpoint one : endpoints.getEndpoints()) {
                CoapEndpoint endpoint = ((CaliforniumClientEndpoint) one).getCoapEndpoint();
                if (endpoint.getInterceptors().stream().noneMatch(Wire.class::isInstance)) endpoint.addInterceptor(new Wire());
            }
        }

        @Override
        public void onBootstrapSuccess(LwM2mServer server, BootstrapRequest request) {
            say("bootstrapped");
        }

        @Override
        public void onBootstrapFailure(LwM2mServer server, BootstrapRequest request, ResponseCode code, String message, Exception cause) {
            say("not-bootstrapped " + code);
        }

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

    private ResponseCode send(String format, List<String> paths) throws Exception {
        LwM2mServer server = client.getRegisteredServers().values().iterator().next();
        ContentFormat contentFormat = ContentFormat.fromCode(Integer.parseInt(format));
        return client.getSendService().sendData(server, contentFormat, paths, SEND_TIMEOUT_MS).getCode();
    }

    private void results(String format, List<String> results) throws Exception {
        for (String result : results) {
            manifest.set(Long.parseLong(result));
            say("sent " + result + " " + send(format, List.of("/10252/0/3")));
        }
    }

    private void act(List<String> words) throws Exception {
        switch (words.get(0)) {
            case "set":
                thermometer.set(Double.parseDouble(words.get(1)));
                break;
            case "vary":
                specimen.vary(Integer.parseInt(words.get(1)));
                say("varied " + words.get(1));
                break;
            case "fill":
                specimen.fill(Integer.parseInt(words.get(1)));
                break;
            case "firmware":
                firmware.set(Long.parseLong(words.get(1)), Long.parseLong(words.get(2)));
                break;
            case "send":
                say("sent " + send(words.get(1), words.subList(2, words.size())));
                break;
            case "results":
                results(words.get(1), words.subList(2, words.size()));
                break;
            case "update":
                client.triggerRegistrationUpdate();
                break;
            case "stop":
                client.stop(true);
                break;
            case "restart":
                client.stop(false);
                client.start();
                break;
            default:
                say("what is " + words);
        }
    }

    private void obey(String line) {
        try {
            act(Arrays.asList(line.split(" ")));
        } catch (Exception error) {
            say("failed " + line + " " + error);
        }
    }

    /** Threads of the library keep the process alive: an error ends it. */
    public static void main(String[] args) {
        try {
            List<String> options = Arrays.asList(args).subList(3, args.length);
            new LeshanDevice(args[0], args[1], Integer.parseInt(args[2]), options).run();
            System.exit(0);
        } catch (Exception error) {
            say("not started " + error);
            System.exit(1);
        }
    }

    private void run() throws Exception {
        client.start();
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null && !line.equals("end"); line = commands.readLine()) obey(line);
        client.destroy(true);
        say("ended");
    }
}
