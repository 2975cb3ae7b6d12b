import com.arm.mbed.cloud.sdk.AccountManagement;
import com.arm.mbed.cloud.sdk.Connect;
import com.arm.mbed.cloud.sdk.DeviceDirectory;
import com.arm.mbed.cloud.sdk.accountmanagement.model.Account;
import com.arm.mbed.cloud.sdk.accountmanagement.model.ApiKey;
import com.arm.mbed.cloud.sdk.accountmanagement.model.Group;
import com.arm.mbed.cloud.sdk.common.ConnectionOptions;
import com.arm.mbed.cloud.sdk.common.TimePeriod;
import com.arm.mbed.cloud.sdk.common.listing.filtering.FilterOperator;
import com.arm.mbed.cloud.sdk.connect.model.Presubscription;
import com.arm.mbed.cloud.sdk.connect.model.Resource;
import com.arm.mbed.cloud.sdk.connect.model.Webhook;
import com.arm.mbed.cloud.sdk.devicedirectory.model.Device;
import com.arm.mbed.cloud.sdk.devicedirectory.model.DeviceEvent;
import com.arm.mbed.cloud.sdk.devicedirectory.model.DeviceEventListOptions;
import com.arm.mbed.cloud.sdk.devicedirectory.model.DeviceListOptions;
import com.arm.mbed.cloud.sdk.devicedirectory.model.Query;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Every call of Maven's mbed-cloud-sdk that Lanyard offers: a line `ROW area | calls | passes` for each, or what is wrong.
 * Environment as of e2e/python-sdk/session.py.
 */
public class SdkSession {
    interface Run {
        void run() throws Exception;
    }

    private static final String SENSOR = "/3303/0/5700";
    private static final String DISPLAY = "/3341/0/5527";
    private static final TimePeriod WAIT = new TimePeriod(15);

    private static String variable(String name) {
        return Objects.requireNonNull(System.getenv(name), name);
    }

    private static void check(boolean condition, String what) {
        if (!condition) throw new IllegalStateException(what);
    }

    private static void equal(Object actual, Object expected) {
        check(Objects.equals(actual, expected), actual + " instead of " + expected);
    }

    private static void step(String area, String calls, Run run) {
        String result = "passes";
        try {
            run.run();
        } catch (Exception error) {
            StringWriter trace = new StringWriter();
            error.printStackTrace(new PrintWriter(trace));
            String text = trace.toString().replace('\n', ' ');
            result = "fails " + text.substring(0, Math.min(700, text.length()));
        }
        System.out.println("ROW " + area + " | " + calls + " | " + result);
    }

    private interface Read {
        Object read() throws Exception;
    }

    /** The package answers 404 with null. */
    private static void isGone(Read read) {
        try {
            check(read.read() == null, "still there");
        } catch (IllegalStateException error) {
            throw error;
        } catch (Exception error) {
            // Gone.
        }
    }

    public static void main(String[] args) {
        ConnectionOptions options = new ConnectionOptions(variable("MBED_CLOUD_SDK_API_KEY"), variable("MBED_CLOUD_SDK_HOST"));
        commands(new Connect(options), variable("DEVICE_ID"), variable("LESHAN_ID"));
        subscriptions(new Connect(options), variable("DEVICE_ID"));
        devices(new DeviceDirectory(options), variable("DEVICE_ID"), variable("DEVICE_NAME"));
        accounts(new AccountManagement(options), variable("DEVICE_NAME"));
        System.exit(0);
    }

    private static void commands(Connect connect, String id, String leshan) {
        Device device = new Device();
        device.setId(id);
        Resource display = new Resource(id, DISPLAY);
        step("Channel", "Connect.startNotifications", connect::startNotifications);
        step("Commands", "Connect.listConnectedDevices, listAllConnectedDevices", () -> {
            check(connect.listConnectedDevices(new DeviceListOptions()).getData().stream().anyMatch(d -> id.equals(d.getId())), "not listed");
            check(connect.listAllConnectedDevices(new DeviceListOptions()).all().stream().anyMatch(d -> id.equals(d.getId())), "not among all");
        });
        step("Commands", "Connect.listResources, listObservableResources, getResource", () -> {
            check(connect.listResources(device).stream().anyMatch(r -> SENSOR.equals(r.getPath())), "not listed");
            check(connect.listObservableResources(device).stream().anyMatch(r -> SENSOR.equals(r.getPath())), "not observable");
            equal(connect.getResource(device, SENSOR).getPath(), SENSOR);
        });
        step("Commands", "Connect.getResourceValue, getResourceValueAsync", () -> {
            equal(connect.getResourceValue(id, "/3/0/0", WAIT), "Lanyard");
            equal(connect.getResourceValueAsync(id, "/3/0/1").get(15, TimeUnit.SECONDS), "Demo thermometer");
        });
        step("Commands", "Connect.setResourceValue, setResourceValueAsync", () -> {
            connect.setResourceValue(display, "from Java", WAIT);
            equal(connect.getResourceValue(display, WAIT), "from Java");
            connect.setResourceValueAsync(display, "again", false).get(15, TimeUnit.SECONDS);
            equal(connect.getResourceValue(display, WAIT), "again");
        });
        step("Commands", "Connect.executeResource, executeResourceAsync", () -> {
            connect.executeResource(new Resource(id, "/3/0/4"), null, false, WAIT);
            connect.executeResourceAsync(new Resource(id, "/3/0/4"), null, false).get(15, TimeUnit.SECONDS);
        });
        step("Commands on Leshan", "Connect.getResourceValue, setResourceValue, executeResource", () -> {
            equal(connect.getResourceValue(leshan, "/3/0/0", WAIT), "Eclipse Leshan");
            Double.parseDouble(String.valueOf(connect.getResourceValue(leshan, SENSOR, WAIT)));
            // The package says that each value is LwM2M JSON: here it has to be.
            String value = "{\"bn\":\"/3303/0/5750\",\"e\":[{\"n\":\"\",\"sv\":\"from Java\"}]}";
            connect.setResourceValue(new Resource(leshan, "/3303/0/5750"), value, WAIT);
            connect.executeResource(new Resource(leshan, "/3303/0/5605"), null, false, WAIT);
        });
        step("Channel", "Connect.stopNotifications", connect::stopNotifications);
    }

    private static void subscriptions(Connect connect, String id) {
        Device device = new Device();
        device.setId(id);
        Resource sensor = new Resource(id, SENSOR);
        BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
        step("Subscriptions", "Connect.addResourceSubscription, getResourceSubscription, deleteResourceSubscription", () -> {
            connect.startNotifications();
            connect.addResourceSubscription(sensor, heard::add, error -> heard.add(error.toString()));
            for (int n = 0; n < 2; n++)
                Double.parseDouble(String.valueOf(heard.poll(15, TimeUnit.SECONDS)));
            check(connect.getResourceSubscription(sensor), "not subscribed");
            connect.deleteResourceSubscription(sensor);
            check(!connect.getResourceSubscription(sensor), "still subscribed");
        });
        step("Subscriptions", "Connect.listDeviceSubscriptions, listSubscriptions, deleteDeviceSubscriptions", () -> {
            connect.addResourceSubscription(sensor);
            check(connect.listDeviceSubscriptions(device).contains(SENSOR), "not listed");
            check(connect.listSubscriptions().stream().anyMatch(s -> id.equals(s.getDeviceId())), "not among all");
            connect.deleteDeviceSubscriptions(device);
            check(!connect.getResourceSubscription(sensor), "still subscribed");
        });
        step("Presubscriptions", "Connect.updatePresubscriptions, addPresubscription, listPresubscriptions, deletePresubscriptions", () -> {
            connect.updatePresubscriptions(Collections.singletonList(new Presubscription(sensor)));
            connect.addPresubscription(new Presubscription(new Resource(id, "/3303/0/5701")));
            List<Presubscription> rules = connect.listPresubscriptions();
            check(rules.stream().anyMatch(rule -> rule.getResourcePaths().contains(SENSOR)), "not listed");
            connect.deletePresubscriptions();
            List<Presubscription> left = connect.listPresubscriptions();
            check(left == null || left.isEmpty(), "still listed");
        });
        step("Subscriptions", "Connect.deleteSubscriptions", () -> {
            connect.addResourceSubscription(sensor);
            connect.deleteSubscriptions();
            check(!connect.getResourceSubscription(sensor), "still subscribed");
            connect.stopNotifications();
        });
        step("Channel", "Connect.updateWebhook, getWebhook, deleteWebhook", () -> {
            URL url = new URL(variable("WEBHOOK_URL"));
            connect.updateWebhook(new Webhook(url));
            equal(connect.getWebhook().getUrl(), url);
            connect.deleteWebhook();
        });
    }

    private static void devices(DeviceDirectory directory, String id, String name) {
        Device[] made = new Device[1];
        step("Devices", "DeviceDirectory.addDevice, getDevice", () -> {
            Device device = new Device("java", "c".repeat(64));
            device.setName(name + "-java");
            device.setCustomAttributes(Collections.singletonMap("site", "north"));
            made[0] = directory.addDevice(device);
            equal(directory.getDevice(made[0].getId()).getCustomAttributes().get("site"), "north");
        });
        step("Devices", "DeviceDirectory.listDevices, listAllDevices (filter)", () -> {
            DeviceListOptions options = new DeviceListOptions();
            options.addNameFilter(name + "-java", FilterOperator.EQUAL);
            equal(directory.listDevices(options).getData().get(0).getId(), made[0].getId());
            equal(directory.listAllDevices(options).all().size(), 1);
        });
        step("Devices", "DeviceDirectory.updateDevice, deleteDevice", () -> {
            made[0].setDescription("changed");
            directory.updateDevice(made[0]);
            equal(directory.getDevice(made[0].getId()).getDescription(), "changed");
            directory.deleteDevice(made[0]);
            isGone(() -> directory.getDevice(made[0].getId()));
        });
        step("Saved queries", "DeviceDirectory.addQuery, getQuery, listQueries, listAllQueries, updateQuery, deleteQuery", () -> {
            Query query = new Query();
            query.setName(name + "-java");
            query.addDeviceClassFilter("meter", FilterOperator.EQUAL);
            Query stored = directory.addQuery(query);
            equal(directory.getQuery(stored.getId()).getName(), name + "-java");
            check(directory.listQueries(null).getData().stream().anyMatch(q -> stored.getId().equals(q.getId())), "not listed");
            check(directory.listAllQueries(null).all().stream().anyMatch(q -> stored.getId().equals(q.getId())), "not among all");
            stored.setName(name + "-java-2");
            directory.updateQuery(stored);
            equal(directory.getQuery(stored.getId()).getName(), name + "-java-2");
            directory.deleteQuery(stored);
            isGone(() -> directory.getQuery(stored.getId()));
        });
        step("Events", "DeviceDirectory.listDeviceEvents, listAllDeviceEvents, getDeviceEvent", () -> {
            DeviceEventListOptions options = new DeviceEventListOptions();
            options.addDeviceIdFilter(id, FilterOperator.EQUAL);
            DeviceEvent event = directory.listDeviceEvents(options).getData().get(0);
            equal(directory.getDeviceEvent(event.getId()).getDeviceId(), id);
            check(!directory.listAllDeviceEvents(options).all().isEmpty(), "none among all");
        });
    }

    private static void accounts(AccountManagement accounts, String name) {
        step("Account", "AccountManagement.getAccount, updateAccount", () -> {
            Account account = accounts.getAccount();
            account.setCity("Ulm");
            accounts.updateAccount(account);
            equal(accounts.getAccount().getCity(), "Ulm");
        });
        step("Key groups", "AccountManagement.listGroups, listAllGroups, getGroup, listGroupApiKeys, listAllGroupApiKeys", () -> {
            Group group = accounts.listGroups(null).getData().get(0);
            equal(accounts.getGroup(group.getId()).getName(), group.getName());
            check(!accounts.listAllGroups(null).all().isEmpty(), "none among all");
            accounts.listGroupApiKeys(group, null);
            accounts.listAllGroupApiKeys(group, null).all();
        });
        step("API keys", "AccountManagement.addApiKey, getApiKey, listApiKeys, listAllApiKeys, updateApiKey, deleteApiKey", () -> {
            ApiKey key = accounts.addApiKey(new ApiKey(name + "-java"));
            check(key.getKey().startsWith("ak_1"), "no key");
            check(accounts.listApiKeys(null).getData().stream().anyMatch(k -> key.getId().equals(k.getId())), "not listed");
            check(accounts.listAllApiKeys(null).all().stream().anyMatch(k -> key.getId().equals(k.getId())), "not among all");
            key.setName(name + "-java-2");
            accounts.updateApiKey(key);
            equal(accounts.getApiKey(key.getId()).getName(), name + "-java-2");
            accounts.deleteApiKey(key);
            isGone(() -> accounts.getApiKey(key.getId()));
        });
    }
}
