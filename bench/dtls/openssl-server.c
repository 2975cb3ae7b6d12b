/*
 * The reference of the DTLS benchmarks: OpenSSL as a DTLS 1.2 server with one socket for all clients, and nothing else.
 *
 *   openssl-server psk KEY_HEX              PSK-AES128-CCM8
 *   openssl-server ecdhe CA CERTIFICATE KEY ECDHE-ECDSA-AES128-CCM8, clients have a certificate of CA; all PEM files
 *
 * Says "ready PORT". Echoes application data. Each line on standard input is answered with
 * "CPU_MS HANDSHAKES MESSAGES CONNECTIONS RSS_KIB": the first three since the line before, RSS after unused memory has
 * been given back.
 * Clients are on one address, so that a port is a client.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <malloc.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORTS 65536
#define DATAGRAM_MAX 65536
#define MTU 1400
#define COOKIE_BYTES 16

static int sock;
static SSL_CTX *context;
static SSL *clients[PORTS];
/* Waits for a ClientHello with a cookie, and becomes the next client. */
static SSL *listener;
static BIO_METHOD *method;
static struct sockaddr_in peer;
static unsigned char datagram[DATAGRAM_MAX];
static int datagram_length;
static unsigned char psk[64];
static long psk_length;
static unsigned char secret[32];
static long handshakes, messages, connections;

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  ERR_print_errors_fp(stderr);
  exit(1);
}

/* The data of a BIO is the port that it writes to, or 0: that of the datagram being handled. */
static int bio_write(BIO *bio, const char *bytes, int length) {
  struct sockaddr_in to = peer;
  if (BIO_get_data(bio)) to.sin_port = htons((unsigned short)(size_t)BIO_get_data(bio));
  return sendto(sock, bytes, length, 0, (struct sockaddr *)&to, sizeof to);
}

static int bio_read(BIO *bio, char *into, int size) {
  int length = datagram_length;
  BIO_clear_retry_flags(bio);
  if (length == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  if (length > size) length = size;
  memcpy(into, datagram, length);
  datagram_length = 0;
  return length;
}

static long bio_control(BIO *bio, int command, long number, void *pointer) {
  (void)bio, (void)number, (void)pointer;
  switch (command) {
    case BIO_CTRL_FLUSH:
    case BIO_CTRL_DGRAM_SET_NEXT_TIMEOUT:
      return 1;
    case BIO_CTRL_DGRAM_QUERY_MTU:
    case BIO_CTRL_DGRAM_GET_MTU:
      return MTU;
    case BIO_CTRL_WPENDING:
    case BIO_CTRL_PENDING:
    default:
      return 0;
  }
}

static unsigned int give_psk(SSL *ssl, const char *identity, unsigned char *into, unsigned int max) {
  (void)ssl, (void)identity, (void)max;
  memcpy(into, psk, psk_length);
  return psk_length;
}

static void make_cookie(unsigned char *into) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length;
  HMAC(EVP_sha256(), secret, sizeof secret, (unsigned char *)&peer.sin_port, sizeof peer.sin_port, digest, &length);
  memcpy(into, digest, COOKIE_BYTES);
}

static int give_cookie(SSL *ssl, unsigned char *into, unsigned int *length) {
  (void)ssl;
  make_cookie(into);
  *length = COOKIE_BYTES;
  return 1;
}

static int check_cookie(SSL *ssl, const unsigned char *cookie, unsigned int length) {
  unsigned char expected[COOKIE_BYTES];
  (void)ssl;
  make_cookie(expected);
  return length == COOKIE_BYTES && CRYPTO_memcmp(cookie, expected, length) == 0;
}

static SSL *new_listener(void) {
  SSL *ssl = SSL_new(context);
  BIO *bio = BIO_new(method);
  if (!ssl || !bio) fail("No memory");
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  SSL_set_options(ssl, SSL_OP_COOKIE_EXCHANGE | SSL_OP_NO_QUERY_MTU);
  DTLS_set_link_mtu(ssl, MTU);
  SSL_set_accept_state(ssl);
  return ssl;
}

static void forget(int port) {
  if (clients[port] && SSL_is_init_finished(clients[port])) connections--;
  SSL_free(clients[port]);
  clients[port] = NULL;
}

/* Handshake messages, application data and alerts, until the datagram is used up. */
static void serve(int port) {
  SSL *ssl = clients[port];
  unsigned char text[DATAGRAM_MAX];
  for (;;) {
    int was_finished = SSL_is_init_finished(ssl);
    int length = SSL_read(ssl, text, sizeof text);
    if (!was_finished && SSL_is_init_finished(ssl)) handshakes++, connections++;
    if (length > 0) {
      messages++;
      SSL_write(ssl, text, length);
    } else {
      int error = SSL_get_error(ssl, length);
      if (error != SSL_ERROR_WANT_READ) {
        if (error == SSL_ERROR_ZERO_RETURN) SSL_shutdown(ssl);
        ERR_clear_error();
        forget(port);
      }
      return;
    }
  }
}

static void receive(void) {
  socklen_t size = sizeof peer;
  datagram_length = recvfrom(sock, datagram, sizeof datagram, 0, (struct sockaddr *)&peer, &size);
  if (datagram_length <= 0) {
    datagram_length = 0;
    return;
  }
  int port = ntohs(peer.sin_port);
  if (!clients[port]) {
    BIO_ADDR *address = BIO_ADDR_new();
    int verified = DTLSv1_listen(listener, address);
    BIO_ADDR_free(address);
    ERR_clear_error();
    if (verified <= 0) {
      datagram_length = 0;
      return;
    }
    clients[port] = listener;
    BIO_set_data(SSL_get_wbio(listener), (void *)(size_t)port);
    listener = new_listener();
  }
  serve(port);
  datagram_length = 0;
}

static double cpu_ms(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static long rss_kib(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void report(void) {
  static double before;
  double now = cpu_ms();
  malloc_trim(0);
  printf("%.3f %ld %ld %ld %ld\n", now - before, handshakes, messages, connections, rss_kib());
  fflush(stdout);
  handshakes = messages = 0;
  before = cpu_ms();
}

int main(int count, char **arguments) {
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof own;
  int buffer = 4 << 20;
  int is_psk = count == 3 && strcmp(arguments[1], "psk") == 0;
  if (!is_psk && (count != 5 || strcmp(arguments[1], "ecdhe") != 0)) fail("psk KEY_HEX | ecdhe CA CERTIFICATE KEY");
  context = SSL_CTX_new(DTLS_server_method());
  SSL_CTX_set_min_proto_version(context, DTLS1_2_VERSION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_cookie_generate_cb(context, give_cookie);
  SSL_CTX_set_cookie_verify_cb(context, check_cookie);
  if (is_psk) {
    unsigned char *key = OPENSSL_hexstr2buf(arguments[2], &psk_length);
    if (!key || psk_length > (long)sizeof psk) fail("Not a key");
    memcpy(psk, key, psk_length);
    SSL_CTX_set_psk_server_callback(context, give_psk);
    SSL_CTX_set_cipher_list(context, "PSK-AES128-CCM8:@SECLEVEL=0");
  } else {
    SSL_CTX_set_cipher_list(context, "ECDHE-ECDSA-AES128-CCM8:@SECLEVEL=0");
    SSL_CTX_set1_groups_list(context, "P-256");
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    if (!SSL_CTX_load_verify_locations(context, arguments[2], NULL)) fail("No CA");
    if (!SSL_CTX_use_certificate_file(context, arguments[3], SSL_FILETYPE_PEM)) fail("No certificate");
    if (!SSL_CTX_use_PrivateKey_file(context, arguments[4], SSL_FILETYPE_PEM)) fail("No key");
  }
  method = BIO_meth_new(BIO_TYPE_DGRAM, "datagrams");
  BIO_meth_set_write(method, bio_write);
  BIO_meth_set_read(method, bio_read);
  BIO_meth_set_ctrl(method, bio_control);
  RAND_bytes(secret, sizeof secret);
  listener = new_listener();
  sock = socket(AF_INET, SOCK_DGRAM, 0);
  setsockopt(sock, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  if (bind(sock, (struct sockaddr *)&own, sizeof own) != 0) fail("No port");
  fcntl(sock, F_SETFL, O_NONBLOCK);
  getsockname(sock, (struct sockaddr *)&own, &size);
  printf("ready %d\n", ntohs(own.sin_port));
  fflush(stdout);
  struct pollfd both[2] = {{.fd = sock, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
  for (;;) {
    if (poll(both, 2, -1) < 0) continue;
    if (both[0].revents & POLLIN) receive();
    if (both[1].revents & (POLLIN | POLLHUP)) {
      char line[64];
      if (read(0, line, sizeof line) <= 0) return 0;
      report();
    }
  }
}
