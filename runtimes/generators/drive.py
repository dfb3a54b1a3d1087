"""Drives the Python client of OpenAPI Generator."""

import json
import sys

import openapi_client as api

origin, token, subscription, text = sys.argv[1:]
sent = json.loads(text)
configuration = api.Configuration(host=origin)
configuration.access_token = token
client = api.ApiClient(configuration)
payments = api.ApmPaymentsApi(client)
made = payments.apm_payments_create_apm_payment(
    api.ApmPaymentRequest(
        account_id=sent["accountId"],
        request_id=sent["requestId"],
        amount=sent["amount"],
        currency=sent["currency"],
        apm_payload=sent["apmPayload"],
        callback_url=sent["callbackUrl"],
        success_redirect_url=sent["successRedirectUrl"],
        failure_redirect_url=sent["failureRedirectUrl"],
        checksum=sent["checksum"],
    )
)
status = payments.apm_payments_read_apm_payment_status(made.transaction_id)
api.SubscriptionsApi(client).subscriptions_cancel_subscription(subscription)
print(json.dumps({"id": made.transaction_id, "status": status}))
