import com.mbed.coap.client.CoapClient;
import com.mbed.coap.packet.BlockSize;
import com.mbed.coap.packet.CoapRequest;
import com.mbed.coap.packet.CoapResponse;
import com.mbed.coap.packet.Code;
import com.mbed.coap.server.CoapServer;
import com.mbed.coap.server.RouterService;
import com.mbed.coap.server.TcpCoapServer;
import com.mbed.coap.server.observe.ObserversManager;
import com.mbed.coap.transport.javassl.SocketClientTransport;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * A device on java-coap over TLS 1.2 with a certificate, for tests:
 * `java -cp ".:libs/*" TlsDevice PORT NAME CERTIFICATE PRIVATE_KEY SERVER_CERTIFICATE` (PEM files).
 * Says what happens on standard output, one line each; takes commands on standard input: `set 21.5`, `update`, `ping`,
 * `end`. Ends when it cannot register.
 */
public class TlsDevice {

    static final int MESSAGE_BYTES = 4_000;
    static final int REQUEST_SECONDS = 30;

    static volatile String temperature = "20.0";

    static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    static CoapResponse post(CoapClient client, CoapRequest.Builder request) throws Exception {
        return client.send(request).get(REQUEST_SECONDS, TimeUnit.SECONDS);
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

    static void run(String[] args) throws Exception {
        InetSocketAddress server = new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0]));
        ObserversManager observers = new ObserversManager();
        RouterService.RouteBuilder routes = RouterService.builder()
            .get("/3303/0/5700", observers.then(request -> {
                if (Integer.valueOf(0).equals(request.options().getObserve())) say("observed");
                return CoapResponse.ok(temperature, (short) 0).toFuture();
            }))
            .put("/3303/0/5750", request -> {
                say("written " + request.getPayload().size());
                return CoapResponse.coapResponse(Code.C204_CHANGED).toFuture();
            });
        CoapServer endpoint = TcpCoapServer.builder()
            // Not SSLSocketClientTransport: it says its capabilities (CSM) in a thread of its own, sometimes after the first
            // request or never, and the service refuses any other first message (RFC 8323 §5.3).
            .transport(new SocketClientTransport(server, TlsContext.of(args[2], args[3], args[4]).getSocketFactory(), false))
            .blockSize(BlockSize.S_1024_BERT)
            .maxMessageSize(MESSAGE_BYTES)
            .maxIncomingBlockTransferSize(100_000)
            .route(routes)
            .build();
        observers.init(endpoint);
        endpoint.start();
        CoapClient client = CoapClient.create(server, endpoint, answer -> answer.getCode() == Code.C703_PONG);
        CoapResponse reply = post(client, CoapRequest.post("/rd")
            .query("ep", args[1]).query("lt", "300").query("lwm2m", "1.1").query("b", "T")
            .payload("</3/0>,</3303/0>", (short) 40));
        say((reply.getCode() == Code.C201_CREATED ? "registered " : "refused ") + reply.getCode() + " " + reply.options().getLocationPath());
        String location = reply.options().getLocationPath();
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null && !line.equals("end"); line = commands.readLine()) {
            try {
                if (line.startsWith("set ")) {
                    temperature = line.substring(4);
                    observers.sendObservation("/3303/0/5700", request -> CoapResponse.ok(temperature, (short) 0).toFuture());
                }
                if (line.equals("update")) say("updated " + post(client, CoapRequest.post(location)).getCode());
                if (line.equals("ping")) say("pong " + client.ping().get(REQUEST_SECONDS, TimeUnit.SECONDS));
            } catch (Exception error) {
                say("failed " + line);
            }
        }
        endpoint.stop();
    }
}
