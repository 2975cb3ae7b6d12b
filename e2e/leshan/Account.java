import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.eclipse.leshan.client.object.Security;

/** What the device has to begin with: the account of an LwM2M server or of a bootstrap server, and its credential there. */
final class Account {

    static final int SHORT_SERVER_ID = 123;

    private Account() {}

    /** Without credential: CoAP without security. */
    static Security of(String url, boolean bootstrap) {
        return bootstrap ? Security.noSecBootstrap(url) : Security.noSec(url, SHORT_SERVER_ID);
    }

    /** @param credential IDENTITY,KEY with the key in hexadecimal */
    static Security withKey(String url, boolean bootstrap, String credential) {
        String[] parts = credential.split(",");
        byte[] identity = parts[0].getBytes(StandardCharsets.UTF_8);
        byte[] key = HexFormat.of().parseHex(parts[1]);
        return bootstrap ? Security.pskBootstrap(url, identity, key) : Security.psk(url, SHORT_SERVER_ID, identity, key);
    }

    /** @param credential CERTIFICATE,PRIVATE_KEY,SERVER_CERTIFICATE: PEM files */
    static Security withCertificate(String url, boolean bootstrap, String credential) throws Exception {
        String[] files = credential.split(",");
        byte[] certificate = TlsContext.certificate(files[0]).getEncoded();
        byte[] privateKey = TlsContext.privateKey(files[1]).getEncoded();
        byte[] server = TlsContext.certificate(files[2]).getEncoded();
        return bootstrap
            ? Security.x509Bootstrap(url, certificate, privateKey, server)
            : Security.x509(url, SHORT_SERVER_ID, certificate, privateKey, server);
    }

    /** @param credential PUBLIC_KEY,PRIVATE_KEY,SERVER_PUBLIC_KEY: PEM files */
    static Security withRawPublicKey(String url, boolean bootstrap, String credential) throws Exception {
        String[] files = credential.split(",");
        byte[] publicKey = TlsContext.publicKey(files[0]).getEncoded();
        byte[] privateKey = TlsContext.privateKey(files[1]).getEncoded();
        byte[] server = TlsContext.publicKey(files[2]).getEncoded();
        return bootstrap
            ? Security.rpkBootstrap(url, publicKey, privateKey, server)
            : Security.rpk(url, SHORT_SERVER_ID, publicKey, privateKey, server);
    }
}
