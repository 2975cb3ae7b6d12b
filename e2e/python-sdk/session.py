"""Every call of PyPI mbed-cloud-sdk that Lanyard offers, a line `ROW area | calls | passes` for each, or what is wrong.

Environment: MBED_CLOUD_SDK_HOST, MBED_CLOUD_SDK_API_KEY, DEVICE_ID, DEVICE_NAME (the demonstration device), LESHAN_ID
(a device on Eclipse Leshan), WEBHOOK_URL (answers 204), CA_FILE (PEM of an authority).
"""
import json
import os
import queue
import time
import traceback

from mbed_cloud import AccountManagementAPI, CertificatesAPI, ConnectAPI, DeviceDirectoryAPI, SDK

DEVICE = os.environ['DEVICE_ID']
LESHAN = os.environ['LESHAN_ID']
NAME = os.environ['DEVICE_NAME']
SENSOR = '/3303/0/5700'
DISPLAY = '/3341/0/5527'
WAIT_S = 15

connect = ConnectAPI()
directory = DeviceDirectoryAPI()
accounts = AccountManagementAPI()
certificates = CertificatesAPI()
sdk = SDK()
foundation = sdk.foundation
made = {}
steps = []


def step(area, calls):
    def add(run):
        steps.append((area, calls, run))
        return run
    return add


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def equal(actual, expected):
    check(actual == expected, '%r instead of %r' % (actual, expected))


def eventually(attempt):
    deadline = time.time() + WAIT_S
    while True:
        try:
            return attempt()
        except Exception:
            if time.time() > deadline:
                raise
            time.sleep(0.1)


def is_gone(read):
    try:
        return read() is None
    except Exception:
        return True


@step('Channel', 'ConnectAPI.start_notifications')
def _():
    connect.start_notifications()


@step('Commands', 'ConnectAPI.list_connected_devices')
def _():
    eventually(lambda: check(DEVICE in [d.id for d in connect.list_connected_devices()], 'not listed'))


@step('Commands', 'ConnectAPI.list_connected_devices (host_gateway eq and neq the empty text)')
def _():
    direct = connect.list_connected_devices(filters={'host_gateway': {'$eq': ''}})
    check(DEVICE in [d.id for d in direct], 'a device without a gateway is not among those without')
    behind = connect.list_connected_devices(filters={'host_gateway': {'$neq': ''}})
    check(DEVICE not in [d.id for d in behind], 'a device without a gateway is among those behind one')


@step('Commands', 'ConnectAPI.list_resources, get_resource')
def _():
    check(SENSOR in [r.path for r in connect.list_resources(DEVICE)], 'not listed')
    check(connect.get_resource(DEVICE, SENSOR).observable, 'not observable')


@step('Commands', 'ConnectAPI.get_resource_value, get_resource_value_async')
def _():
    equal(connect.get_resource_value(DEVICE, '/3/0/0', timeout=WAIT_S), 'Lanyard')
    equal(connect.get_resource_value_async(DEVICE, '/3/0/1').wait(WAIT_S), 'Demo thermometer')


@step('Commands', 'ConnectAPI.set_resource_value, set_resource_value_async')
def _():
    connect.set_resource_value(DEVICE, DISPLAY, 'from Python', timeout=WAIT_S)
    equal(connect.get_resource_value(DEVICE, DISPLAY, timeout=WAIT_S), 'from Python')
    connect.set_resource_value_async(DEVICE, DISPLAY, 'again').wait(WAIT_S)
    equal(connect.get_resource_value(DEVICE, DISPLAY, timeout=WAIT_S), 'again')


@step('Commands', 'ConnectAPI.execute_resource, execute_resource_async')
def _():
    connect.execute_resource(DEVICE, '/3/0/4', timeout=WAIT_S)
    connect.execute_resource_async(DEVICE, '/3/0/4').wait(WAIT_S)


@step('Commands on Leshan', 'ConnectAPI.get_resource_value, set_resource_value, execute_resource')
def _():
    equal(connect.get_resource_value(LESHAN, '/3/0/0', timeout=WAIT_S), 'Eclipse Leshan')
    float(connect.get_resource_value(LESHAN, SENSOR, timeout=WAIT_S))
    connect.set_resource_value(LESHAN, '/3303/0/5750', 'from Python', timeout=WAIT_S)
    connect.execute_resource(LESHAN, '/3303/0/5605', timeout=WAIT_S)


@step('Subscriptions', 'ConnectAPI.add_resource_subscription, get_resource_subscription, delete_resource_subscription')
def _():
    values = connect.add_resource_subscription(DEVICE, SENSOR)
    float(values.get(timeout=WAIT_S))
    float(values.get(timeout=WAIT_S))
    check(connect.get_resource_subscription(DEVICE, SENSOR), 'not subscribed')
    connect.delete_resource_subscription(DEVICE, SENSOR)
    check(is_gone(lambda: connect.get_resource_subscription(DEVICE, SENSOR) or None), 'still subscribed')


@step('Subscriptions', 'ConnectAPI.add_resource_subscription_async, list_device_subscriptions, delete_device_subscriptions')
def _():
    heard = queue.Queue()
    connect.add_resource_subscription_async(DEVICE, SENSOR, lambda device, path, value: heard.put((device, path)))
    equal(heard.get(timeout=WAIT_S), (DEVICE, SENSOR))
    check(SENSOR in connect.list_device_subscriptions(DEVICE), 'not listed')
    connect.delete_device_subscriptions(DEVICE)
    check(not connect.list_device_subscriptions(DEVICE), 'still listed')


@step('Subscriptions', 'ConnectAPI.subscribe.resource_values')
def _():
    observer = connect.subscribe(connect.subscribe.channels.ResourceValues(device_id=DEVICE, resource_path=SENSOR))
    equal(observer.next().block(timeout=WAIT_S)['device_id'], DEVICE)


@step('Presubscriptions', 'ConnectAPI.update_presubscriptions, list_presubscriptions, delete_presubscriptions')
def _():
    rule = {'device_id': DEVICE, 'resource_paths': [SENSOR]}
    connect.update_presubscriptions([rule])
    equal([(p.device_id, p.resource_paths) for p in connect.list_presubscriptions()], [(DEVICE, [SENSOR])])
    connect.delete_presubscriptions()
    equal(len(connect.list_presubscriptions()), 0)


@step('Subscriptions', 'ConnectAPI.delete_subscriptions')
def _():
    connect.add_resource_subscription(DEVICE, SENSOR)
    connect.delete_subscriptions()
    check(not connect.list_device_subscriptions(DEVICE), 'still listed')


@step('Channel', 'ConnectAPI.stop_notifications')
def _():
    connect.stop_notifications()


@step('Channel', 'ConnectAPI.update_webhook, get_webhook, delete_webhook')
def _():
    connect.update_webhook(os.environ['WEBHOOK_URL'], {'x-python': 'sdk'})
    equal(connect.get_webhook().url, os.environ['WEBHOOK_URL'])
    connect.delete_webhook()


@step('Channel', 'ConnectAPI.notify_webhook_received')
def _():
    connect.notify_webhook_received(json.dumps({'notifications': []}))


@step('Devices', 'DeviceDirectoryAPI.add_device, get_device')
def _():
    device = directory.add_device(
        mechanism='connector', certificate_fingerprint='a' * 64, certificate_issuer_id='python',
        name=NAME + '-made', device_type='meter', custom_attributes={'site': 'north'})
    made['device'] = device.id
    equal(directory.get_device(device.id).custom_attributes, {'site': 'north'})


@step('Devices', 'DeviceDirectoryAPI.list_devices (limit, order, filters)')
def _():
    filters = {'name': {'$eq': NAME + '-made'}, 'custom_attributes': {'site': {'$eq': 'north'}}}
    equal([d.id for d in directory.list_devices(limit=10, order='desc', filters=filters)], [made['device']])


@step('Devices', 'DeviceDirectoryAPI.update_device, delete_device')
def _():
    directory.update_device(made['device'], description='changed', certificate_issuer_id='python', certificate_fingerprint='a' * 64)
    equal(directory.get_device(made['device']).description, 'changed')
    directory.delete_device(made['device'])
    check(is_gone(lambda: directory.get_device(made['device'])), 'still there')


@step('Saved queries', 'DeviceDirectoryAPI.add_query, get_query, list_queries, update_query, delete_query')
def _():
    wanted = {'state': {'$eq': 'registered'}}
    query = directory.add_query(NAME + '-query', wanted)
    equal(directory.get_query(query.id).name, NAME + '-query')
    check(query.id in [q.id for q in directory.list_queries()], 'not listed')
    directory.update_query(query.id, name=NAME + '-changed', filter=wanted)
    equal(directory.get_query(query.id).name, NAME + '-changed')
    directory.delete_query(query.id)
    check(is_gone(lambda: directory.get_query(query.id)), 'still there')


@step('Events', 'DeviceDirectoryAPI.list_device_events, get_device_event')
def _():
    def first():
        return next(iter(directory.list_device_events(filters={'device_id': {'$eq': DEVICE}})))
    equal(directory.get_device_event(eventually(first).id).device_id, DEVICE)


@step('Account', 'AccountManagementAPI.get_account, update_account')
def _():
    accounts.update_account(city='Ulm')
    equal(accounts.get_account().city, 'Ulm')


@step('Key groups', 'AccountManagementAPI.list_groups, get_group, list_group_api_keys')
def _():
    made['group'] = next(g.id for g in accounts.list_groups() if g.name == 'Developers')
    equal(accounts.get_group(made['group']).name, 'Developers')
    list(accounts.list_group_api_keys(made['group']))


@step('API keys', 'AccountManagementAPI.add_api_key, get_api_key, list_api_keys, update_api_key, delete_api_key')
def _():
    key = accounts.add_api_key(NAME + '-key', groups=[made['group']])
    check(key.key.startswith('ak_1'), key.key[:4])
    check(key.id in [k.id for k in accounts.list_api_keys()], 'not listed')
    accounts.update_api_key(key.id, name=NAME + '-renamed')
    equal(accounts.get_api_key(key.id).name, NAME + '-renamed')
    accounts.delete_api_key(key.id)
    check(is_gone(lambda: accounts.get_api_key(key.id)), 'still there')


@step('Certificates', 'foundation TrustedCertificate: create, read, list, update')
def _():
    with open(os.environ['CA_FILE']) as file:
        pem = file.read()
    certificate = foundation.trusted_certificate(name=NAME + '-ca', certificate=pem, service='lwm2m').create()
    made['certificate'] = certificate.id
    certificate.description = 'changed'
    certificate.update()
    equal(foundation.trusted_certificate(id=certificate.id).read().description, 'changed')
    check(certificate.id in [c.id for c in foundation.trusted_certificate().list()], 'not listed')


@step('Certificates', 'CertificatesAPI.list_certificates, delete_certificate')
def _():
    check(made['certificate'] in [c.id for c in certificates.list_certificates()], 'not listed')
    certificates.delete_certificate(made['certificate'])
    check(made['certificate'] not in [c.id for c in certificates.list_certificates()], 'still listed')


@step('Devices', 'foundation Device: create, read, list, update, delete')
def _():
    device = foundation.device(name=NAME + '-entity', device_key='b' * 64, ca_id='python').create()
    made['entity'] = device
    device.description = 'changed'
    device.update()
    equal(foundation.device(id=device.id).read().description, 'changed')
    check(device.id in [d.id for d in foundation.device().list(filter={'name': {'eq': NAME + '-entity'}})], 'not listed')
    device.delete()
    check(is_gone(lambda: foundation.device(id=device.id).read()), 'still there')


@step('Device groups', 'foundation DeviceGroup: create, read, list, update, add_device, devices, remove_device, delete')
def _():
    group = foundation.device_group(name=NAME + '-group', description='by Python').create()
    group.description = 'changed'
    group.update()
    equal(foundation.device_group(id=group.id).read().description, 'changed')
    check(group.id in [g.id for g in foundation.device_group().list()], 'not listed')
    group.add_device(device_id=DEVICE)
    equal([d.id for d in group.devices()], [DEVICE])
    group.remove_device(device_id=DEVICE)
    foundation.device(id=DEVICE).add_to_group(group.id)
    foundation.device(id=DEVICE).remove_from_group(group.id)
    equal(foundation.device_group(id=group.id).read().devices_count, 0)
    group.delete()


@step('Events', 'foundation DeviceEvents: list, read')
def _():
    event = next(iter(foundation.device_events().list(filter={'device_id': {'eq': DEVICE}})))
    equal(foundation.device_events(id=event.id).read().device_id, DEVICE)


@step('API keys', 'foundation ApiKey: create, read, list, update, me, delete')
def _():
    key = foundation.api_key(name=NAME + '-entity').create()
    key.name = NAME + '-entity-2'
    key.update()
    equal(foundation.api_key(id=key.id).read().name, NAME + '-entity-2')
    check(key.id in [k.id for k in foundation.api_key().list()], 'not listed')
    foundation.api_key().me()
    key.delete()
    check(is_gone(lambda: foundation.api_key(id=key.id).read()), 'still there')


@step('Account', 'foundation Account: me')
def _():
    equal(foundation.account().me().id, accounts.get_account().id)


for area, calls, run in steps:
    result = 'passes'
    try:
        run()
    except Exception as error:
        trace = traceback.format_exc(limit=-3).replace('\n', ' ')
        result = 'fails %s: %s %s' % (type(error).__name__, error, trace)
    print('ROW %s | %s | %s' % (area, calls, result.replace('\n', ' ')), flush=True)
os._exit(0)
