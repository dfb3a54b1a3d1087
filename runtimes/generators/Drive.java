import java.net.URI;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.ApmPaymentsApi;
import org.openapitools.client.api.CardPaymentsApi;
import org.openapitools.client.api.RefundsApi;
import org.openapitools.client.api.SubscriptionsApi;
import org.openapitools.client.model.ApmPaymentRequest;
import org.openapitools.client.model.CardPaymentRequest;
import org.openapitools.client.model.RefundRequest;

/** Drives the Java client of OpenAPI Generator. */
public class Drive {
  public static void main(String[] args) throws Exception {
    var origin = URI.create(args[0]);
    var client = new ApiClient();
    client.setScheme(origin.getScheme()).setHost(origin.getHost()).setPort(origin.getPort());
    client.setBasePath("");
    client.setRequestInterceptor((request) -> request.header("Authorization", "Bearer " + args[1]));
    var payments = new ApmPaymentsApi(client);
    var payment = client.getObjectMapper().readValue(args[3], ApmPaymentRequest.class);
    var made = payments.apmPaymentsCreateApmPayment(payment);
    var id = made.getTransactionId();
    var status = payments.apmPaymentsReadApmPaymentStatus(id);
    new SubscriptionsApi(client).subscriptionsCancelSubscription(args[2]);
    var card = client.getObjectMapper().readValue(args[4], CardPaymentRequest.class);
    var cards = new CardPaymentsApi(client);
    var paid = cards.cardPaymentsCreateCardPayment(card).getTransactionId();
    while (!cards.cardPaymentsReadCardPaymentStatus(paid).toString().equals("SUCCEED")) Thread.sleep(50);
    var refund = new RefundRequest().requestId("java").mid("m-1").transactionId(Long.valueOf(paid));
    new RefundsApi(client).refundsCreateRefund(refund.amount("1.50").reason("customer_request"));
    System.out.println("{\"id\":\"" + id + "\",\"status\":\"" + status + "\"}");
  }
}
