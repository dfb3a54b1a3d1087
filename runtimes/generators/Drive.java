import java.net.URI;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.ApmPaymentsApi;
import org.openapitools.client.api.SubscriptionsApi;
import org.openapitools.client.model.ApmPaymentRequest;

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
    System.out.println("{\"id\":\"" + id + "\",\"status\":\"" + status + "\"}");
  }
}
