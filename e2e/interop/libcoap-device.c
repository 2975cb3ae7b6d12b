/*
 * A device on libcoap over UDP, TCP, or TLS or DTLS with a pre-shared key, for tests:
 * libcoap-device udp|tcp|tls|dtls PORT NAME [IDENTITY KEY_HEX]. Says what happens on standard output, one line each; takes
 * commands on standard input: "set 21.5", "update", "stop" (deregisters), "end". Ends when its connection does.
 */
#include <arpa/inet.h>
#include <coap3/coap.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BODY_MAX = 100000, KEY_MAX = 64, LINE_MAX_BYTES = 256, STEP_MS = 20 };

static char temperature[32] = "20.0";
static uint8_t application[BODY_MAX] = "hall";
static size_t application_length = 4;
static char location[2][64];
static const char *awaited = "registered";
static coap_context_t *context;
static coap_session_t *session;

static void say(const char *line) {
  printf("%s\n", line);
  fflush(stdout);
}

static void fail(const char *why) {
  say(why);
  exit(1);
}

static void answer(coap_pdu_t *response, coap_pdu_code_t code, size_t length, const uint8_t *value) {
  coap_pdu_set_code(response, code);
  /* An empty option value is 0: text/plain. */
  if (length > 0 && (!coap_add_option(response, COAP_OPTION_CONTENT_FORMAT, 0, NULL) ||
                     !coap_add_data(response, length, value)))
    fail("failed: an answer has no room");
}

static void get_temperature(coap_resource_t *resource, coap_session_t *from, const coap_pdu_t *request,
                            const coap_string_t *query, coap_pdu_t *response) {
  (void)resource, (void)from, (void)request, (void)query;
  answer(response, COAP_RESPONSE_CODE_CONTENT, strlen(temperature), (const uint8_t *)temperature);
}

static void get_application(coap_resource_t *resource, coap_session_t *from, const coap_pdu_t *request,
                            const coap_string_t *query, coap_pdu_t *response) {
  coap_pdu_set_code(response, COAP_RESPONSE_CODE_CONTENT);
  coap_add_data_large_response(resource, from, request, response, query, COAP_MEDIATYPE_TEXT_PLAIN, -1, 0,
                               application_length, application, NULL, NULL);
}

static void put_application(coap_resource_t *resource, coap_session_t *from, const coap_pdu_t *request,
                            const coap_string_t *query, coap_pdu_t *response) {
  size_t length = 0, offset, total;
  const uint8_t *data = NULL;
  char line[LINE_MAX_BYTES];
  (void)resource, (void)from, (void)query;
  coap_get_data_large(request, &length, &data, &offset, &total);
  if (length > sizeof application) {
    coap_pdu_set_code(response, COAP_RESPONSE_CODE_REQUEST_TOO_LARGE);
    return;
  }
  memcpy(application, data, length);
  application_length = length;
  snprintf(line, sizeof line, "written %zu", length);
  say(line);
  answer(response, COAP_RESPONSE_CODE_CHANGED, 0, NULL);
}

static coap_resource_t *add_resources(void) {
  coap_resource_t *sensor = coap_resource_init(coap_make_str_const("3303/0/5700"), 0);
  coap_resource_t *writable = coap_resource_init(coap_make_str_const("3303/0/5750"), 0);
  coap_register_request_handler(sensor, COAP_REQUEST_GET, get_temperature);
  coap_resource_set_get_observable(sensor, 1);
  coap_register_request_handler(writable, COAP_REQUEST_GET, get_application);
  coap_register_request_handler(writable, COAP_REQUEST_PUT, put_application);
  coap_add_resource(context, sensor);
  coap_add_resource(context, writable);
  return sensor;
}

static void keep_location(const coap_pdu_t *received) {
  coap_opt_iterator_t iterator;
  coap_opt_t *option;
  size_t segment = 0;
  coap_option_iterator_init(received, &iterator, COAP_OPT_ALL);
  while ((option = coap_option_next(&iterator)) != NULL && segment < 2)
    if (iterator.number == COAP_OPTION_LOCATION_PATH && coap_opt_length(option) < sizeof location[0])
      memcpy(location[segment++], coap_opt_value(option), coap_opt_length(option));
}

static coap_response_t on_response(coap_session_t *from, const coap_pdu_t *sent, const coap_pdu_t *received,
                                   const coap_mid_t id) {
  coap_pdu_code_t code = coap_pdu_get_code(received);
  char line[LINE_MAX_BYTES];
  (void)from, (void)sent, (void)id;
  if (code == COAP_RESPONSE_CODE_CREATED) keep_location(received);
  snprintf(line, sizeof line, "%s %d.%02d", COAP_RESPONSE_CLASS(code) == 2 ? awaited : "refused",
           COAP_RESPONSE_CLASS(code), code & 0x1f);
  say(line);
  return COAP_RESPONSE_OK;
}

static int on_event(coap_session_t *of, const coap_event_t event) {
  (void)of;
  switch (event) {
    case COAP_EVENT_DTLS_CLOSED:
    case COAP_EVENT_DTLS_ERROR:
    case COAP_EVENT_TCP_FAILED:
    case COAP_EVENT_SESSION_FAILED:
    case COAP_EVENT_SESSION_CLOSED:
      fail("not connected");
      break;
    default:
      break;
  }
  return 0;
}

static void add_option(coap_pdu_t *pdu, coap_option_num_t number, const char *value) {
  if (!coap_add_option(pdu, number, strlen(value), (const uint8_t *)value)) fail("failed: a request has no room");
}

/* Without a location: a registration. */
static void ask(coap_pdu_code_t method, const char *expected, const char *name) {
  coap_pdu_t *pdu = coap_new_pdu(COAP_MESSAGE_CON, method, session);
  const char *links = "</3/0>,</3303/0>";
  char endpoint[LINE_MAX_BYTES];
  uint8_t token[8], format = COAP_MEDIATYPE_APPLICATION_LINK_FORMAT;
  size_t length;
  if (pdu == NULL) fail("failed: no request");
  coap_session_new_token(session, &length, token);
  coap_add_token(pdu, length, token);
  awaited = expected;
  if (name == NULL) {
    add_option(pdu, COAP_OPTION_URI_PATH, location[0]);
    add_option(pdu, COAP_OPTION_URI_PATH, location[1]);
  } else {
    snprintf(endpoint, sizeof endpoint, "ep=%s", name);
    add_option(pdu, COAP_OPTION_URI_PATH, "rd");
    coap_add_option(pdu, COAP_OPTION_CONTENT_FORMAT, 1, &format);
    add_option(pdu, COAP_OPTION_URI_QUERY, "lwm2m=1.1");
    add_option(pdu, COAP_OPTION_URI_QUERY, "lt=300");
    add_option(pdu, COAP_OPTION_URI_QUERY, endpoint);
    coap_add_data(pdu, strlen(links), (const uint8_t *)links);
  }
  if (coap_send(session, pdu) == COAP_INVALID_MID) fail("failed: a request was not sent");
}

static coap_session_t *connect_to(const char *transport, int port, const char *identity, const char *key_hex) {
  coap_address_t server;
  coap_dtls_cpsk_t psk;
  static uint8_t key[KEY_MAX];
  size_t length = 0;
  coap_address_init(&server);
  server.addr.sin.sin_family = AF_INET;
  server.addr.sin.sin_port = htons((uint16_t)port);
  inet_pton(AF_INET, "127.0.0.1", &server.addr.sin.sin_addr);
  server.size = sizeof server.addr.sin;
  if (strcmp(transport, "udp") == 0) return coap_new_client_session(context, NULL, &server, COAP_PROTO_UDP);
  if (strcmp(transport, "tcp") == 0) return coap_new_client_session(context, NULL, &server, COAP_PROTO_TCP);
  while (length < KEY_MAX && sscanf(key_hex + 2 * length, "%2hhx", &key[length]) == 1) length++;
  memset(&psk, 0, sizeof psk);
  psk.version = COAP_DTLS_CPSK_SETUP_VERSION;
  psk.psk_info.identity.s = (const uint8_t *)identity;
  psk.psk_info.identity.length = strlen(identity);
  psk.psk_info.key.s = key;
  psk.psk_info.key.length = length;
  return coap_new_client_session_psk2(context, NULL, &server,
                                      strcmp(transport, "dtls") == 0 ? COAP_PROTO_DTLS : COAP_PROTO_TLS, &psk);
}

/* False: it is over. */
static int obey(const char *line, coap_resource_t *sensor) {
  if (strncmp(line, "set ", 4) == 0) {
    snprintf(temperature, sizeof temperature, "%.31s", line + 4);
    coap_resource_notify_observers(sensor, NULL);
  }
  if (strcmp(line, "update") == 0) ask(COAP_REQUEST_CODE_POST, "updated", NULL);
  if (strcmp(line, "stop") == 0) ask(COAP_REQUEST_CODE_DELETE, "deregistered", NULL);
  return strcmp(line, "end") != 0;
}

int main(int count, char **arguments) {
  struct pollfd commands = {.fd = STDIN_FILENO, .events = POLLIN};
  char line[LINE_MAX_BYTES];
  coap_resource_t *sensor;
  if (count != 4 && count != 6) fail("not connected: arguments");
  /* poll does not see what a stream has read ahead. */
  setvbuf(stdin, NULL, _IONBF, 0);
  coap_startup();
  coap_set_log_level(LOG_WARNING);
  context = coap_new_context(NULL);
  coap_context_set_block_mode(context, COAP_BLOCK_USE_LIBCOAP | COAP_BLOCK_SINGLE_BODY);
  coap_register_response_handler(context, on_response);
  coap_register_event_handler(context, on_event);
  sensor = add_resources();
  session = connect_to(arguments[1], atoi(arguments[2]), count == 6 ? arguments[4] : "", count == 6 ? arguments[5] : "");
  if (session == NULL) fail("not connected");
  ask(COAP_REQUEST_CODE_POST, "registered", arguments[3]);
  for (;;) {
    if (coap_io_process(context, STEP_MS) < 0) fail("not connected");
    if (poll(&commands, 1, 0) <= 0) continue;
    if (fgets(line, sizeof line, stdin) == NULL) break;
    line[strcspn(line, "\n")] = '\0';
    if (!obey(line, sensor)) break;
  }
  return 0;
}
