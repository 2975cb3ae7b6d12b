import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.eclipse.californium.core.CoapResource;
import org.eclipse.californium.core.CoapServer;
import org.eclipse.californium.core.coap.CoAP.ResponseCode;
import org.eclipse.californium.core.coap.MediaTypeRegistry;
import org.eclipse.californium.core.coap.Request;
import org.eclipse.californium.core.coap.Response;
import org.eclipse.californium.core.config.CoapConfig;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.core.server.resources.CoapExchange;
import org.eclipse.californium.elements.Connector;
import org.eclipse.californium.elements.config.Configuration;
import org.eclipse.californium.elements.config.TcpConfig;
import org.eclipse.californium.elements.tcp.netty.TcpClientConnector;
import org.eclipse.californium.elements.tcp.netty.TlsClientConnector;
import org.eclipse.californium.scandium.config.DtlsConfig;

/**
 * A device on Californium over TCP, over TLS 1.2 with a certificate, or over DTLS 1.2 with a pre-shared key, a certificate or a
 * raw public key, for tests: `java -cp ".:libs/*" CaliforniumDevice tcp|tls|dtls|dtls-raw PORT NAME [CREDENTIAL…]`, where the
 * credential is IDENTITY KEY (hexadecimal), CERTIFICATE PRIVATE_KEY SERVER_CERTIFICATE (PEM files), or for dtls-raw PUBLIC_KEY
 * PRIVATE_KEY (PEM files).
 * Says what happens on standard output, one line each; takes commands on standard input: `set 21.5`, `update`, `stop`
 * (deregisters), `end`. Ends when it cannot register.
 */
public class CaliforniumDevice {

    static final int REQUEST_SECONDS = 60;
    static final Map<String, String> SCHEMES = Map.of(
        "tcp", "coap+tcp", "tls", "coaps+tcp", "dtls", "coaps", "dtls-raw", "coaps");

    /** Max-Message-Size 4000, Block-Wise-Transfer (RFC 8323 §5.3). */
    static final byte[] CAPABILITIES = {0x40, (byte) 0xe1, 0x22, 0x0f, (byte) 0xa0, 0x20};

    static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** The service refuses any other first message than capabilities; Californium would send none, and drops the service's. */
    static class Capabilities extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) throws Exception {
            context.writeAndFlush(Unpooled.wrappedBuffer(CAPABILITIES));
            super.channelActive(context);
        }
    }

    static class Tcp extends TcpClientConnector {
        Tcp(Configuration configuration) {
            super(configuration);
        }

        @Override
        protected void onNewChannelCreated(SocketAddress remote, Channel channel) {
            super.onNewChannelCreated(remote, channel);
            channel.pipeline().addLast(new Capabilities());
        }
    }

    static class Tls extends TlsClientConnector {
        Tls(SSLContext context, Configuration configuration) {
            super(context, configuration);
        }

        @Override
        protected void onNewChannelCreated(SocketAddress remote, Channel channel) {
            super.onNewChannelCreated(remote, channel);
            channel.pipeline().addLast(new Capabilities());
        }
    }

    static class Temperature extends CoapResource {
        private volatile String value = "20.0";

        Temperature() {
            super("5700");
            setObservable(true);
        }

        void set(String newValue) {
            value = newValue;
            changed();
        }

        @Override
        public void handleGET(CoapExchange exchange) {
            Integer observe = exchange.getRequestOptions().getObserve();
            exchange.respond(ResponseCode.CONTENT, value, MediaTypeRegistry.TEXT_PLAIN);
            if (observe != null && observe == 0 && exchange.advanced().getRelation() != null) say("observed " + value);
        }
    }

    static class ApplicationType extends CoapResource {
        private volatile byte[] value = "hall".getBytes();

        ApplicationType() {
            super("5750");
        }

        @Override
        public void handleGET(CoapExchange exchange) {
            exchange.respond(ResponseCode.CONTENT, value, MediaTypeRegistry.TEXT_PLAIN);
        }

        @Override
        public void handlePUT(CoapExchange exchange) {
            value = exchange.getRequestPayload();
            say("written " + value.length);
            exchange.respond(ResponseCode.CHANGED);
        }
    }

    static Configuration configuration() {
        CoapConfig.register();
        TcpConfig.register();
        DtlsConfig.register();
        Configuration configuration = new Configuration();
        configuration.set(CoapConfig.MAX_RESOURCE_BODY_SIZE, 100_000);
        // Ten seconds unless told otherwise, fewer than a slow machine is silent.
        configuration.set(TcpConfig.TCP_CONNECTION_IDLE_TIMEOUT, 10, TimeUnit.MINUTES);
        configuration.set(TcpConfig.TCP_CONNECT_TIMEOUT, REQUEST_SECONDS, TimeUnit.SECONDS);
        configuration.set(TcpConfig.TLS_HANDSHAKE_TIMEOUT, REQUEST_SECONDS, TimeUnit.SECONDS);
        // The certificate of the tests names the service, not an address.
        configuration.set(TcpConfig.TLS_VERIFY_SERVER_CERTIFICATES_SUBJECT, false);
        return configuration;
    }

    final CoapServer server;
    final CoapEndpoint endpoint;
    final String url;
    final Temperature temperature = new Temperature();

    CaliforniumDevice(Connector connector, Configuration configuration, String url) {
        this.url = url;
        endpoint = new CoapEndpoint.Builder().setConfiguration(configuration).setConnector(connector).build();
        server = new CoapServer(configuration);
        server.addEndpoint(endpoint);
        CoapResource instance = new CoapResource("0");
        instance.add(temperature);
        instance.add(new ApplicationType());
        CoapResource object = new CoapResource("3303");
        object.add(instance);
        server.add(object);
        server.start();
    }

    Response send(Request request, String path) throws Exception {
        request.setURI(url + path);
        endpoint.sendRequest(request);
        Response response = request.waitForResponse(TimeUnit.SECONDS.toMillis(REQUEST_SECONDS));
        if (response == null) throw new IllegalStateException("no answer to " + request.getCode() + " " + path);
        return response;
    }

    String register(String name) throws Exception {
        Request request = Request.newPost();
        request.getOptions().setContentFormat(MediaTypeRegistry.APPLICATION_LINK_FORMAT);
        request.setPayload("</3/0>,</3303/0>");
        Response response = send(request, "/rd?lwm2m=1.1&b=" + (url.contains("+tcp") ? "T" : "U") + "&lt=300&ep=" + name);
        say((response.getCode() == ResponseCode.CREATED ? "registered " : "refused ") + response.getCode());
        return "/" + response.getOptions().getLocationPathString();
    }

    void obey(String line, String location) {
        try {
            if (line.startsWith("set ")) temperature.set(line.substring(4));
            if (line.equals("update")) say("updated " + send(Request.newPost(), location).getCode());
            if (line.equals("stop")) say("deregistered " + send(Request.newDelete(), location).getCode());
        } catch (Exception error) {
            say("failed " + line + " " + error);
        }
    }

    /** Threads of the library keep the process alive: whatever goes wrong before the loop of commands ends it. */
    public static void main(String[] args) {
        try {
            run(args);
            System.exit(0);
        } catch (Exception error) {
            say("not connected " + error);
            System.exit(1);
        }
    }

    static Connector connector(String transport, String[] credential, Configuration configuration) throws Exception {
        if (transport.equals("tcp")) return new Tcp(configuration);
        if (transport.equals("tls")) return new Tls(TlsContext.of(credential[0], credential[1], credential[2]), configuration);
        if (transport.equals("dtls-raw")) return DtlsConnection.withRawPublicKey(configuration, credential[0], credential[1]);
        return credential.length == 2
            ? DtlsConnection.withKey(configuration, credential[0], credential[1])
            : DtlsConnection.withCertificate(configuration, credential[0], credential[1], credential[2]);
    }

    static void run(String[] args) throws Exception {
        Configuration configuration = configuration();
        String[] credential = Arrays.copyOfRange(args, 3, args.length);
        Connector connector = connector(args[0], credential, configuration);
        CaliforniumDevice device = new CaliforniumDevice(connector, configuration, SCHEMES.get(args[0]) + "://127.0.0.1:" + args[1]);
        String location = device.register(args[2]);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null && !line.equals("end"); line = commands.readLine()) {
            device.obey(line, location);
        }
        device.server.destroy();
    }
}
