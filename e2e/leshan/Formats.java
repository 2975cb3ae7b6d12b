import java.util.HashMap;
import java.util.Map;
import org.eclipse.leshan.core.node.codec.DefaultLwM2mDecoder;
import org.eclipse.leshan.core.node.codec.DefaultLwM2mEncoder;
import org.eclipse.leshan.core.node.codec.LwM2mDecoder;
import org.eclipse.leshan.core.node.codec.LwM2mEncoder;
import org.eclipse.leshan.core.node.codec.LwM2mValueChecker;
import org.eclipse.leshan.core.request.ContentFormat;

/**
 * The formats that the device speaks, by their Content-Format numbers; old ones (1541 to 1544) too, and SenML-ETCH (320,
 * 322), which Leshan's codecs of SenML read.
 */
class Formats {

    private final int[] numbers;

    Formats(int... numbers) {
        this.numbers = numbers;
    }

    private static ContentFormat today(int number) {
        switch (number) {
            case 1541:
                return ContentFormat.TEXT;
            case 1542:
                return ContentFormat.TLV;
            case 1543:
                return ContentFormat.JSON;
            case 1544:
                return ContentFormat.OPAQUE;
            case 320:
                return ContentFormat.SENML_JSON;
            case 322:
                return ContentFormat.SENML_CBOR;
            default:
                return ContentFormat.fromCode(number);
        }
    }

    private <T> Map<ContentFormat, T> only(Map<ContentFormat, T> all) {
        Map<ContentFormat, T> chosen = new HashMap<>();
        for (int number : numbers)
            if (all.containsKey(today(number))) chosen.put(new ContentFormat(number), all.get(today(number)));
        return chosen;
    }

    ContentFormat first() {
        return new ContentFormat(numbers[0]);
    }

    LwM2mEncoder encoder() {
        return new DefaultLwM2mEncoder(
            only(DefaultLwM2mEncoder.getDefaultNodeEncoders(true)),
            DefaultLwM2mEncoder.getDefaultPathEncoder(),
            new LwM2mValueChecker());
    }

    LwM2mDecoder decoder() {
        return new DefaultLwM2mDecoder(
            only(DefaultLwM2mDecoder.getDefaultNodeDecoders(true)), only(DefaultLwM2mDecoder.getDefaultPathDecoder()));
    }
}
