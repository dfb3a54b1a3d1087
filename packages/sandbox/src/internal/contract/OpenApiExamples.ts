/**
 * The examples of `openapi.json`. A sandbox accepts each request once its identifiers and tokens
 * are those of the sandbox.
 */

const urls = {
  callbackUrl: "https://shop.example/callback",
  successRedirectUrl: "https://shop.example/thanks",
  failureRedirectUrl: "https://shop.example/sorry"
}
const { callbackUrl } = urls
const createdAt = "2026-01-31T09:30:00.000Z"
const cardToken = "tok_1f0c2a7e"
const money = { amount: "10.50", currency: "EUR" }
const card = { number: "4242424242424242", expMonth: "12", expYear: "2030", cvv: "123" }
const email = "ada@shop.example"
const metadata = { cart: "A-1041" }
const order = { orderId: "A-1041", title: "Tea" }
const device = { ip: "192.0.2.7", acceptLanguage: "en", userAgent: "Mozilla/5.0" }
const person = {
  firstName: "Ada",
  lastName: "Lind",
  address1: "1 Harbour Street",
  city: "Riga",
  country: "LV",
  phone: "+37120000000",
  dateOfBirth: "1990-05-17",
  email
}
const plan = {
  ...money,
  frequency: "MONTHLY",
  interval: 1,
  startDate: "2100-01-31T00:00:00.000Z"
}
const started = { transactionId: "100001", transactionStatus: "NEW", metadata }
const failure = (message: string) => ({ message })

const apm = {
  accountId: "77",
  ...money,
  apmPayload: { paymentMethod: "WALLET" },
  ...urls,
  metadata
}
const apmCreated = {
  ...started,
  paymentType: "APM",
  createdTime: createdAt,
  apmResponseData: {
    actionType: "REDIRECTION",
    redirectUrl: "https://pay.example/pay/100001",
    paymentMethod: "WALLET"
  }
}
const cardCreated = { ...started, paymentType: "CARD" }
const ended = { transactionStatus: "SUCCEED", callbackUrl, createdAt, metadata }

/** `request` is the body of a request, `response` that of a 200. */
export const bodies: Readonly<
  Record<string, { readonly request?: unknown; readonly response?: unknown }>
> = {
  authenticate: {
    request: { merchantKey: "sandbox-key", merchantSecret: "sandbox-secret" },
    response: { accessToken: "header.claims.signature" }
  },
  createApmPayment: {
    request: {
      requestId: "apm-payment-1",
      ...apm,
      order,
      billingDetails: person,
      device,
      // Of the secret sandbox-secret.
      checksum: "c3812251adf999fe37a1a38fffcb32ef38bdeca4becb0b5ade5b013ba0a5a0db"
    },
    response: { requestId: "apm-payment-1", ...apmCreated }
  },
  createApmPayout: {
    request: { requestId: "apm-payout-1", ...apm, order, billingDetails: person },
    response: { requestId: "apm-payout-1", ...apmCreated }
  },
  readApmPayout: {
    response: {
      transactionId: "100002",
      requestId: "apm-payout-1",
      accountId: 77,
      apmRequestPayload: { paymentMethod: "WALLET" },
      ...ended,
      order,
      billingDetails: person
    }
  },
  createCardPayment: {
    request: { requestId: "card-payment-1", mid: "m-1", ...money, card, callbackUrl, metadata },
    response: { requestId: "card-payment-1", ...cardCreated }
  },
  tokenizeCard: {
    request: { requestId: "tokenize-1", mid: "m-1", card },
    response: { requestId: "tokenize-1", cardToken }
  },
  chargeCard: {
    request: {
      requestId: "charge-1",
      mid: "m-1",
      ...money,
      cardToken,
      callbackUrl,
      metadata
    },
    response: { requestId: "charge-1", ...cardCreated }
  },
  createCardPayout: {
    request: {
      requestId: "card-payout-1",
      mid: "m-1",
      amount: "5.00",
      card: { ...card, cardHolderName: "Ada Lind" },
      billingDetails: { firstName: "Ada", lastName: "Lind", countryCode: "LV", email },
      callbackUrl,
      metadata
    },
    response: cardCreated
  },
  readCardPayout: {
    response: {
      transactionId: "100004",
      requestId: "card-payout-1",
      mid: "m-1",
      cardMask: "424242******4242",
      cardHolder: "Ada Lind",
      totalAmount: 5,
      ...ended
    }
  },
  createRefund: {
    request: {
      requestId: "refund-1",
      mid: "m-1",
      transactionId: 100003,
      amount: "1.50",
      reason: "customer_request",
      callbackUrl,
      metadata
    },
    response: { refundId: "100005", transactionStatus: "NEW", paymentType: "CARD", metadata }
  },
  readRefund: {
    response: {
      transactionId: "100003",
      refundId: "100005",
      requestId: "refund-1",
      mid: "m-1",
      totalAmount: 1.5,
      ...ended
    }
  },
  createPaymentIntent: {
    request: {
      type: "PAYMENT",
      requestId: "intent-1",
      mid: "m-1",
      lang: "en",
      ...money,
      billingDetails: person,
      ...urls,
      order,
      device,
      metadata
    },
    response: {
      redirectUrl: "https://pay.example/pay/intent-1",
      iframeUrl: "https://pay.example/pay/intent-1?iframe=1",
      errorCode: null
    }
  },
  createSubscription: {
    request: {
      requestId: "subscription-1",
      mid: "m-1",
      cardToken,
      plan,
      billingDetails: person,
      order,
      device,
      ...urls,
      skipFirstCharge: true,
      metadata
    },
    response: { subscriptionId: "100006", nextChargeDate: plan.startDate, metadata }
  },
  readSubscription: {
    response: {
      subscriptionId: "100006",
      status: "TRIALING",
      nextChargeDate: plan.startDate,
      createdAt,
      plan,
      billingDetails: person,
      failureCount: 0,
      metadata
    }
  },
  updateSubscription: {
    request: { plan: { amount: "12.00" }, status: "PAUSED" },
    response: {
      subscriptionId: "100006",
      status: "PAUSED",
      createdAt,
      plan: { ...plan, amount: "12.00" },
      failureCount: 0,
      metadata
    }
  },
  cardCallback: {
    request: {
      transactionId: "100003",
      transactionStatus: "SUCCEED",
      mid: "m-1",
      orderAmount: "10.50",
      orderCurrency: "EUR",
      metadata
    }
  },
  apmCallback: {
    request: {
      transactionId: "100001",
      transactionStatus: "SUCCEED",
      accountId: "77",
      amount: "10.50",
      currency: "EUR",
      apmType: "WALLET",
      apmResponseData: { paymentMethod: "WALLET" },
      metadata
    }
  }
}

export const status = "SUCCEED"

export const errors: Readonly<Record<string, unknown>> = {
  "400": {
    message: "Missing or invalid parameters",
    errors: [{ field: "amount", message: "Expected a decimal amount" }]
  },
  "401": failure("Missing, expired or invalid bearer token"),
  "404": failure("The requested resource does not exist"),
  "500": failure("Unexpected error")
}
