import java.io.FileInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** TLS 1.2 with a certificate of our own, out of PEM files. Compiled with every Java device: it needs no library. */
public class TlsContext {

    private TlsContext() {}

    static Certificate certificate(String path) throws Exception {
        try (FileInputStream in = new FileInputStream(path)) {
            return CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    private static byte[] der(String path) throws Exception {
        return Base64.getDecoder().decode(Files.readString(Path.of(path)).replaceAll("-----[A-Z ]+-----|\\s", ""));
    }

    static PrivateKey privateKey(String path) throws Exception {
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der(path)));
    }

    static PublicKey publicKey(String path) throws Exception {
        return KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(der(path)));
    }

    public static SSLContext of(String certificatePath, String keyPath, String serverPath) throws Exception {
        KeyStore own = KeyStore.getInstance("PKCS12");
        own.load(null, null);
        own.setKeyEntry("own", privateKey(keyPath), new char[0], new Certificate[] {certificate(certificatePath)});
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, new char[0]);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", certificate(serverPath));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLSv1.2");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
