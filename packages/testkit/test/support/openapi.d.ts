/* oxlint-disable */
/**
 * Written by openapi-typescript (runtimes/openapi.ts), from the openapi.json with this SHA-256:
 * 79bca73ad9234482d7a052266a835ee447ed111b2fbb51e89fff56b73f6835ba
 */
export interface paths {
  "/api/v1/auth": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Exchanges the credentials for an access token */
    post: operations["authentication.authenticate"]
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payments/apm": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Starts a payment by an alternative payment method */
    post: operations["apmPayments.createApmPayment"]
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payments/apm/status/{id}": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Reads the status of an APM payment */
    get: operations["apmPayments.readApmPaymentStatus"]
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payouts/apm": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Sends funds by an alternative payment method */
    post: operations["apmPayouts.createApmPayout"]
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payouts/apm/info/{id}": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Reads all fields of an APM payout */
    get: operations["apmPayouts.readApmPayout"]
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payouts/apm/status/{id}": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Reads the status of an APM payout */
    get: operations["apmPayouts.readApmPayoutStatus"]
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payments/card": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Starts a card payment */
    post: operations["cardPayments.createCardPayment"]
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payments/card/tokenize": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Exchanges a card for a token for charges and subscriptions */
    post: operations["cardPayments.tokenizeCard"]
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payments/card/charge": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Starts a payment with a card token */
    post: operations["cardPayments.chargeCard"]
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payments/card/status/{id}": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Reads the status of a card payment */
    get: operations["cardPayments.readCardPaymentStatus"]
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payouts/card": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Sends funds to a card */
    post: operations["cardPayouts.createCardPayout"]
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payouts/card/info/{id}": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Reads all fields of a card payout */
    get: operations["cardPayouts.readCardPayout"]
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payouts/card/status/{id}": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Reads the status of a card payout */
    get: operations["cardPayouts.readCardPayoutStatus"]
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/refunds/card": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Refunds a successful card payment, in full or in part */
    post: operations["refunds.createRefund"]
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/refunds/card/info/{id}": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Reads all fields of a refund */
    get: operations["refunds.readRefund"]
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/refunds/card/status/{id}": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Reads the status of a refund */
    get: operations["refunds.readRefundStatus"]
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payments/intent": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Creates a payment intent, a hosted page */
    post: operations["paymentIntents.createPaymentIntent"]
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payments/card/recurring": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Creates a subscription with a card token */
    post: operations["subscriptions.createSubscription"]
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  "/api/v1/payments/card/recurring/{subscriptionId}": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Reads a subscription */
    get: operations["subscriptions.readSubscription"]
    /** Changes the fields of a subscription that are in the body */
    put: operations["subscriptions.updateSubscription"]
    post?: never
    /** Cancels a subscription at once */
    delete: operations["subscriptions.cancelSubscription"]
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
export interface components {
  schemas: {
    /** @description Unexpected error */
    Failure500: {
      message: string
      errors?: {
        field: string
        message: string
      }[]
    }
    /** @description The requested resource does not exist */
    Failure404: {
      message: string
      errors?: {
        field: string
        message: string
      }[]
    }
    /** @description Missing, expired or invalid bearer token */
    Failure401: {
      message: string
      errors?: {
        field: string
        message: string
      }[]
    }
    /** @description Missing or invalid parameters */
    Failure400: {
      message: string
      errors?: {
        field: string
        message: string
      }[]
    }
    Subscription: {
      subscriptionId: string
      status: ("PENDING" | "TRIALING" | "ACTIVE" | "PAUSED" | "CANCELED") | string
      nextChargeDate?: string | null
      createdAt?: string | null
      plan?: components["schemas"]["SubscriptionPlanDto"] | null
      billingDetails?: components["schemas"]["BillingDetailsDto"] | null
      metadata?: {
        [key: string]: string
      } | null
      failureCount?: number | null
      lastChargeDate?: string | null
      lastChargeStatus?: string | null
    } & {
      [key: string]: unknown
    }
    BillingDetailsDto: {
      externalUserId?: string
      firstName?: string
      lastName?: string
      address1?: string
      city?: string
      state?: string
      country?: string
      postalCode?: string
      phone?: string
      dateOfBirth?: string
      email: string
    } & {
      [key: string]: unknown
    }
    SubscriptionPlanDto: {
      amount?: string | null
      currency?: string | null
      frequency?: ("DAILY" | "WEEKLY" | "MONTHLY" | "CUSTOM") | string
      interval?: number
      startDate?: string | null
      endDate?: string | null
    } & {
      [key: string]: unknown
    }
    SubscriptionUpdate: {
      plan?: components["schemas"]["UpdatePlan"]
      status?: ("PENDING" | "TRIALING" | "ACTIVE" | "PAUSED" | "CANCELED") | string
    } & {
      [key: string]: unknown
    }
    UpdatePlan: {
      /** @description More than two decimals are rounded; the sandbox rounds half up */
      amount?: string
      currency?: string
      frequency?: ("DAILY" | "WEEKLY" | "MONTHLY" | "CUSTOM") | string
      interval?: number
      startDate?: string
      endDate?: string
    } & {
      [key: string]: unknown
    }
    SubscriptionResponse: {
      subscriptionId: string
      transactionId?: string
      transactionStatus?:
        | (
            | "NEW"
            | "PENDING"
            | "PROCESSING"
            | "CUSTOMER_VERIFICATION"
            | "SUCCEED"
            | "FAILED"
            | "CANCELLED"
            | "REFUNDED"
            | "CHARGEBACK"
          )
        | string
        | null
      declineCode?: number | null
      metadata?: {
        [key: string]: string
      } | null
      challengeUrl?: string | null
      challengeUrlIframe?: string | null
      nextChargeDate?: string | null
    } & {
      [key: string]: unknown
    }
    SubscriptionRequest: {
      requestId: string
      metadata?: {
        [key: string]: string
      }
      mid: string
      cardToken: string
      plan: components["schemas"]["SubscriptionPlan"]
      billingDetails?: components["schemas"]["BillingDetails"]
      order?: components["schemas"]["Order"]
      device?: components["schemas"]["Device"]
      callbackUrl: string
      successRedirectUrl: string
      failureRedirectUrl: string
      skipFirstCharge?: boolean
    } & {
      [key: string]: unknown
    }
    Device: {
      deviceId?: string
      fingerprintData?: string
      ip?: string
      accept?: string
      acceptLanguage?: string
      acceptHeader?: string
      userAgent?: string
      javaEnabled?: boolean
      javaScriptEnabled?: boolean
      deviceLanguage?: string
      colorDepth?: string
      screenHeight?: string
      screenWidth?: string
      deviceTimezone?: string
    } & {
      [key: string]: unknown
    }
    Order: {
      date?: string
      orderId?: string
      title?: string
      siteId?: string
      name?: string
      domainName?: string
    } & {
      [key: string]: unknown
    }
    BillingDetails: {
      externalUserId?: string
      firstName?: string
      lastName?: string
      address1?: string
      city?: string
      state?: string
      country?: string
      postalCode?: string
      phone?: string
      dateOfBirth?: string
      email: string
    } & {
      [key: string]: unknown
    }
    SubscriptionPlan: {
      /** @description More than two decimals are rounded; the sandbox rounds half up */
      amount: string
      currency: string
      frequency: ("DAILY" | "WEEKLY" | "MONTHLY" | "CUSTOM") | string
      interval: number
      startDate: string
      endDate?: string
    } & {
      [key: string]: unknown
    }
    PaymentIntentResponse: {
      redirectUrl?: string | null
      iframeUrl?: string | null
      errorCode?: string | null
      metadata?: {
        [key: string]: string
      } | null
    } & {
      [key: string]: unknown
    }
    PaymentIntentRequest: {
      /** @enum {string} */
      type: "PAYMENT" | "PAYOUT"
      currency?: string
      lang: string
      /** @description More than two decimals are rounded; the sandbox rounds half up */
      amount?: string
      requestId: string
      metadata?: {
        [key: string]: string
      }
      mid: string
      billingDetails: components["schemas"]["PaymentIntentBillingDetails"]
      callbackUrl: string
      successRedirectUrl: string
      failureRedirectUrl: string
      order: components["schemas"]["Order"]
      device: components["schemas"]["Device"]
      kycVerified?: boolean
      previousPaymentCount?: number
    } & {
      [key: string]: unknown
    }
    PaymentIntentBillingDetails: {
      externalUserId?: string
      firstName?: string
      lastName?: string
      address1?: string
      city?: string
      state?: string
      country?: string
      postalCode?: string
      phone?: string
      dateOfBirth?: string
      email: string
    } & {
      [key: string]: unknown
    }
    RefundInfo: {
      transactionId: string
      refundId: string
      mid?: string | null
      totalAmount?: number
      requestId?: string | null
      transactionStatus:
        | (
            | "NEW"
            | "PENDING"
            | "PROCESSING"
            | "CUSTOMER_VERIFICATION"
            | "SUCCEED"
            | "FAILED"
            | "CANCELLED"
            | "REFUNDED"
            | "CHARGEBACK"
          )
        | string
      declineCode?: number | null
      metadata?: {
        [key: string]: string
      } | null
      callbackUrl?: string | null
      createdAt?: string | null
    } & {
      [key: string]: unknown
    }
    RefundResponse: {
      refundId: string
      transactionStatus:
        | (
            | "NEW"
            | "PENDING"
            | "PROCESSING"
            | "CUSTOMER_VERIFICATION"
            | "SUCCEED"
            | "FAILED"
            | "CANCELLED"
            | "REFUNDED"
            | "CHARGEBACK"
          )
        | string
      declineCode?: number | null
      metadata?: {
        [key: string]: string
      } | null
      challengeUrl?: string | null
      challengeUrlIframe?: string | null
      paymentType?: string | null
    } & {
      [key: string]: unknown
    }
    RefundRequest: {
      requestId: string
      metadata?: {
        [key: string]: string
      }
      mid: string
      transactionId: number
      /** @description More than two decimals are rounded; the sandbox rounds half up */
      amount: string
      reason: string
      callbackUrl?: string
    } & {
      [key: string]: unknown
    }
    CardPayoutInfo: {
      transactionId: string
      mid?: string | null
      cardMask?: string | null
      cardHolder?: string | null
      totalAmount?: number
      requestId?: string | null
      transactionStatus:
        | (
            | "NEW"
            | "PENDING"
            | "PROCESSING"
            | "CUSTOMER_VERIFICATION"
            | "SUCCEED"
            | "FAILED"
            | "CANCELLED"
            | "REFUNDED"
            | "CHARGEBACK"
          )
        | string
      declineCode?: number | null
      metadata?: {
        [key: string]: string
      } | null
      callbackUrl?: string | null
      createdAt?: string | null
    } & {
      [key: string]: unknown
    }
    CardPayoutResponse: {
      transactionId: string
      transactionStatus:
        | (
            | "NEW"
            | "PENDING"
            | "PROCESSING"
            | "CUSTOMER_VERIFICATION"
            | "SUCCEED"
            | "FAILED"
            | "CANCELLED"
            | "REFUNDED"
            | "CHARGEBACK"
          )
        | string
      declineCode?: number | null
      metadata?: {
        [key: string]: string
      } | null
      challengeUrl?: string | null
      challengeUrlIframe?: string | null
      paymentType?: string | null
    } & {
      [key: string]: unknown
    }
    CardPayoutRequest: {
      requestId: string
      metadata?: {
        [key: string]: string
      }
      mid: string
      /** @description More than two decimals are rounded; the sandbox rounds half up */
      amount: string
      card: components["schemas"]["PayoutCardDetails"]
      billingDetails?: components["schemas"]["PayoutBillingDetails"]
      callbackUrl?: string
    } & {
      [key: string]: unknown
    }
    PayoutBillingDetails: {
      firstName?: string
      lastName?: string
      address?: string
      postalCode?: string
      city?: string
      state?: string
      countryCode?: string
      phone?: string
      email: string
    } & {
      [key: string]: unknown
    }
    PayoutCardDetails: {
      expMonth: string
      expYear: string
      number: string
      cvv?: string
      cardHolderName?: string
    } & {
      [key: string]: unknown
    }
    CardPaymentResponse: {
      requestId?: string | null
      transactionId: string
      transactionStatus:
        | (
            | "NEW"
            | "PENDING"
            | "PROCESSING"
            | "CUSTOMER_VERIFICATION"
            | "SUCCEED"
            | "FAILED"
            | "CANCELLED"
            | "REFUNDED"
            | "CHARGEBACK"
          )
        | string
      declineCode?: number | null
      metadata?: {
        [key: string]: string
      } | null
      challengeUrl?: string | null
      challengeUrlIframe?: string | null
      paymentType?: string | null
      cardToken?: string | null
    } & {
      [key: string]: unknown
    }
    CardPaymentRequest: {
      requestId: string
      metadata?: {
        [key: string]: string
      }
      mid?: string
      /** @description More than two decimals are rounded; the sandbox rounds half up */
      amount?: string
      currency?: string
      cardToken?: string
      callbackUrl?: string
    } & {
      [key: string]: unknown
    }
    TokenizeResponse: {
      requestId?: string | null
      cardToken: string
    } & {
      [key: string]: unknown
    }
    TokenizeRequest: {
      requestId: string
      mid?: string
    } & {
      [key: string]: unknown
    }
    ApmPayoutInfo: {
      transactionId: string
      accountId?: number
      declineSubReason?: string | null
      apmRequestPayload?: components["schemas"]["ApmPayload"] | null
      apmResponseData?: components["schemas"]["ApmResponseData"] | null
      billingDetails?: components["schemas"]["ApmBillingDetailsDto"] | null
      order?: components["schemas"]["OrderDto"] | null
      requestId?: string | null
      transactionStatus:
        | (
            | "NEW"
            | "PENDING"
            | "PROCESSING"
            | "CUSTOMER_VERIFICATION"
            | "SUCCEED"
            | "FAILED"
            | "CANCELLED"
            | "REFUNDED"
            | "CHARGEBACK"
          )
        | string
      declineCode?: number | null
      metadata?: {
        [key: string]: string
      } | null
      callbackUrl?: string | null
      createdAt?: string | null
    } & {
      [key: string]: unknown
    }
    OrderDto: {
      date?: string
      orderId?: string
      title?: string
      siteId?: string
      name?: string
      domainName?: string
    } & {
      [key: string]: unknown
    }
    ApmBillingDetailsDto: {
      externalUserId?: string
      firstName?: string
      lastName?: string
      address1?: string
      city?: string
      state?: string
      country?: string
      postalCode?: string
      phone?: string
      dateOfBirth?: string
      email?: string
      ssn?: string
      identityCode?: string
    } & {
      [key: string]: unknown
    }
    ApmResponseData: {
      providerTransactionId?: string | null
      iframeUrl?: string | null
      actionType?: string | null
      qrData?: string | null
      qrDeepLink?: string | null
      redirectUrl?: string | null
      paymentType?: string | null
      paymentMethod?: string | null
    } & {
      [key: string]: unknown
    }
    ApmPayload: {
      paymentType?: string
      paymentMethod?: string
    } & {
      [key: string]: unknown
    }
    ApmPayoutResponse: {
      requestId?: string
      transactionId: string
      transactionStatus:
        | (
            | "NEW"
            | "PENDING"
            | "PROCESSING"
            | "CUSTOMER_VERIFICATION"
            | "SUCCEED"
            | "FAILED"
            | "CANCELLED"
            | "REFUNDED"
            | "CHARGEBACK"
          )
        | string
      declineCode?: number | null
      metadata?: {
        [key: string]: string
      } | null
      challengeUrl?: string | null
      challengeUrlIframe?: string | null
      paymentType?: string | null
      declineSubReason?: string | null
      apmResponseData?: components["schemas"]["ApmResponseData"] | null
      createdTime?: string | null
    } & {
      [key: string]: unknown
    }
    ApmPayoutRequest: {
      requestId: string
      metadata?: {
        [key: string]: string
      }
      accountId: string
      apmPayload: components["schemas"]["ApmPayload"]
      successRedirectUrl?: string
      failureRedirectUrl?: string
      callbackUrl?: string
      /** @description More than two decimals are rounded; the sandbox rounds half up */
      amount: string
      currency: string
      order?: components["schemas"]["Order"]
      billingDetails?: components["schemas"]["ApmBillingDetails"]
      device?: components["schemas"]["Device"]
      checksum?: string
    } & {
      [key: string]: unknown
    }
    ApmBillingDetails: {
      externalUserId?: string
      firstName?: string
      lastName?: string
      address1?: string
      city?: string
      state?: string
      country?: string
      postalCode?: string
      phone?: string
      dateOfBirth?: string
      email?: string
      ssn?: string
      identityCode?: string
    } & {
      [key: string]: unknown
    }
    ApmPaymentResponse: {
      requestId?: string
      transactionId: string
      transactionStatus:
        | (
            | "NEW"
            | "PENDING"
            | "PROCESSING"
            | "CUSTOMER_VERIFICATION"
            | "SUCCEED"
            | "FAILED"
            | "CANCELLED"
            | "REFUNDED"
            | "CHARGEBACK"
          )
        | string
      declineCode?: number | null
      metadata?: {
        [key: string]: string
      } | null
      challengeUrl?: string | null
      challengeUrlIframe?: string | null
      paymentType?: string | null
      declineSubReason?: string | null
      apmResponseData?: components["schemas"]["ApmResponseData"] | null
      createdTime?: string | null
    } & {
      [key: string]: unknown
    }
    ApmPaymentRequest: {
      requestId: string
      metadata?: {
        [key: string]: string
      }
      accountId: string
      apmPayload: components["schemas"]["ApmPayload"]
      successRedirectUrl?: string
      failureRedirectUrl?: string
      callbackUrl?: string
      /** @description More than two decimals are rounded; the sandbox rounds half up */
      amount: string
      currency: string
      order?: components["schemas"]["Order"]
      billingDetails?: components["schemas"]["ApmBillingDetails"]
      device?: components["schemas"]["Device"]
      checksum: string
    } & {
      [key: string]: unknown
    }
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export interface operations {
  "authentication.authenticate": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": {
          merchantKey: string
          merchantSecret: string
        }
      }
    }
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": unknown
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "apmPayments.createApmPayment": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ApmPaymentRequest"]
      }
    }
    responses: {
      /** @description ApmPaymentResponse */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["ApmPaymentResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "apmPayments.readApmPaymentStatus": {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json":
            | (
                | "NEW"
                | "PENDING"
                | "PROCESSING"
                | "CUSTOMER_VERIFICATION"
                | "SUCCEED"
                | "FAILED"
                | "CANCELLED"
                | "REFUNDED"
                | "CHARGEBACK"
              )
            | string
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "apmPayouts.createApmPayout": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ApmPayoutRequest"]
      }
    }
    responses: {
      /** @description ApmPayoutResponse */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["ApmPayoutResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "apmPayouts.readApmPayout": {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description ApmPayoutInfo */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["ApmPayoutInfo"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "apmPayouts.readApmPayoutStatus": {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json":
            | (
                | "NEW"
                | "PENDING"
                | "PROCESSING"
                | "CUSTOMER_VERIFICATION"
                | "SUCCEED"
                | "FAILED"
                | "CANCELLED"
                | "REFUNDED"
                | "CHARGEBACK"
              )
            | string
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "cardPayments.createCardPayment": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["CardPaymentRequest"]
      }
    }
    responses: {
      /** @description CardPaymentResponse */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["CardPaymentResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "cardPayments.tokenizeCard": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["TokenizeRequest"]
      }
    }
    responses: {
      /** @description TokenizeResponse */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["TokenizeResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "cardPayments.chargeCard": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["CardPaymentRequest"]
      }
    }
    responses: {
      /** @description CardPaymentResponse */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["CardPaymentResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "cardPayments.readCardPaymentStatus": {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json":
            | (
                | "NEW"
                | "PENDING"
                | "PROCESSING"
                | "CUSTOMER_VERIFICATION"
                | "SUCCEED"
                | "FAILED"
                | "CANCELLED"
                | "REFUNDED"
                | "CHARGEBACK"
              )
            | string
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "cardPayouts.createCardPayout": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["CardPayoutRequest"]
      }
    }
    responses: {
      /** @description CardPayoutResponse */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["CardPayoutResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "cardPayouts.readCardPayout": {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description CardPayoutInfo */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["CardPayoutInfo"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "cardPayouts.readCardPayoutStatus": {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json":
            | (
                | "NEW"
                | "PENDING"
                | "PROCESSING"
                | "CUSTOMER_VERIFICATION"
                | "SUCCEED"
                | "FAILED"
                | "CANCELLED"
                | "REFUNDED"
                | "CHARGEBACK"
              )
            | string
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "refunds.createRefund": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["RefundRequest"]
      }
    }
    responses: {
      /** @description RefundResponse */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["RefundResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "refunds.readRefund": {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description RefundInfo */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["RefundInfo"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "refunds.readRefundStatus": {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Success */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json":
            | (
                | "NEW"
                | "PENDING"
                | "PROCESSING"
                | "CUSTOMER_VERIFICATION"
                | "SUCCEED"
                | "FAILED"
                | "CANCELLED"
                | "REFUNDED"
                | "CHARGEBACK"
              )
            | string
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "paymentIntents.createPaymentIntent": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["PaymentIntentRequest"]
      }
    }
    responses: {
      /** @description PaymentIntentResponse */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["PaymentIntentResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "subscriptions.createSubscription": {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["SubscriptionRequest"]
      }
    }
    responses: {
      /** @description SubscriptionResponse */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["SubscriptionResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "subscriptions.readSubscription": {
    parameters: {
      query?: never
      header?: never
      path: {
        subscriptionId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Subscription */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Subscription"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "subscriptions.updateSubscription": {
    parameters: {
      query?: never
      header?: never
      path: {
        subscriptionId: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["SubscriptionUpdate"]
      }
    }
    responses: {
      /** @description Subscription */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Subscription"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  "subscriptions.cancelSubscription": {
    parameters: {
      query?: never
      header?: never
      path: {
        subscriptionId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description <No Content> */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
}
