import java.security.cert.Certificate;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import org.eclipse.californium.elements.Connector;
import org.eclipse.californium.elements.config.Configuration;
import org.eclipse.californium.scandium.DTLSConnector;
import org.eclipse.californium.scandium.config.DtlsConfig;
import org.eclipse.californium.scandium.config.DtlsConfig.DtlsRole;
import org.eclipse.californium.scandium.config.DtlsConnectorConfig;
import org.eclipse.californium.scandium.dtls.CertificateType;
import org.eclipse.californium.scandium.dtls.pskstore.AdvancedSinglePskStore;
import org.eclipse.californium.scandium.dtls.x509.SingleCertificateProvider;
import org.eclipse.californium.scandium.dtls.x509.StaticNewAdvancedCertificateVerifier;

/** DTLS 1.2 with Scandium and connection ids. */
final class DtlsConnection {

    static final int CONNECTION_ID_BYTES = 5;
    /** Two seconds unless told otherwise: a wrong key shows only after two repetitions. */
    static final int RETRANSMISSION_MS = 500;

    private DtlsConnection() {}

    private static DtlsConnectorConfig.Builder client(Configuration configuration) {
        return DtlsConnectorConfig.builder(configuration)
            .set(DtlsConfig.DTLS_ROLE, DtlsRole.CLIENT_ONLY)
            .set(DtlsConfig.DTLS_CONNECTION_ID_LENGTH, CONNECTION_ID_BYTES)
            .set(DtlsConfig.DTLS_RETRANSMISSION_TIMEOUT, RETRANSMISSION_MS, TimeUnit.MILLISECONDS)
            .set(DtlsConfig.DTLS_VERIFY_SERVER_CERTIFICATES_SUBJECT, false);
    }

    /** @param key in hexadecimal */
    static Connector withKey(Configuration configuration, String identity, String key) {
        byte[] secret = HexFormat.of().parseHex(key);
        return new DTLSConnector(client(configuration).setAdvancedPskStore(new AdvancedSinglePskStore(identity, secret)).build());
    }

    /** Of PEM files. */
    static Connector withCertificate(Configuration configuration, String certificate, String key, String server) throws Exception {
        Certificate[] chain = {TlsContext.certificate(certificate)};
        return new DTLSConnector(
            client(configuration)
                .setCertificateIdentityProvider(
                    new SingleCertificateProvider(TlsContext.privateKey(key), chain, CertificateType.X_509))
                .setAdvancedCertificateVerifier(
                    StaticNewAdvancedCertificateVerifier.builder().setTrustedCertificates(TlsContext.certificate(server)).build())
                .build());
    }

    /** Of PEM files. Whatever key the server has is trusted. */
    static Connector withRawPublicKey(Configuration configuration, String publicKey, String privateKey) throws Exception {
        return new DTLSConnector(
            client(configuration)
                .setCertificateIdentityProvider(
                    new SingleCertificateProvider(TlsContext.privateKey(privateKey), TlsContext.publicKey(publicKey)))
                .setAdvancedCertificateVerifier(StaticNewAdvancedCertificateVerifier.builder().setTrustAllRPKs().build())
                .build());
    }
}
