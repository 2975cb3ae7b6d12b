import org.eclipse.californium.core.coap.CoAP.Type;
import org.eclipse.californium.core.coap.EmptyMessage;
import org.eclipse.californium.core.coap.OptionSet;
import org.eclipse.californium.core.coap.Request;
import org.eclipse.californium.core.network.interceptors.MessageInterceptor;

/** Says what comes from the service: `asked GET /3303/0/5700 observe=0` (further blocks are left out), `reset`. */
class Wire implements MessageInterceptor {

    @Override
    public void receiveRequest(Request request) {
        OptionSet options = request.getOptions();
        if (options.hasBlock1() && options.getBlock1().getNum() > 0) return;
        if (options.hasBlock2() && options.getBlock2().getNum() > 0) return;
        String observe = options.hasObserve() ? " observe=" + options.getObserve() : "";
        LeshanDevice.say("asked " + request.getCode() + " /" + options.getUriPathString() + observe);
    }

    @Override
    public void receiveEmptyMessage(EmptyMessage message) {
        if (message.getType() == Type.RST) LeshanDevice.say("reset");
    }
}
