/* oxlint-disable */
/**
 * Written by openapi-typescript (runtimes/openapi.ts), from the openapi.json with this SHA-256:
 * 6403423bcaaea2ba9a960426d10265ea16d46689d1aac2f2a1d7ad4a267f0ade
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
export interface webhooks {
  cardCallback: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Reports the status of a card payment, card payout, refund or charge of a subscription; signed are mid, orderAmount, orderCurrency and transactionId
     * @description Posted to the callbackUrl of the request for every change of the status, at least once and in any order. An answer other than 2xx is retried after 2, 4, 8, 16 and 32 minutes.
     */
    post: operations["cardCallback"]
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  apmCallback: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Reports the status of an APM payment or payout; signed are accountId, amount, currency and transactionId
     * @description Posted to the callbackUrl of the request for every change of the status, at least once and in any order. An answer other than 2xx is retried after 2, 4, 8, 16 and 32 minutes.
     */
    post: operations["apmCallback"]
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
export interface components {
  schemas: {
    CardCallback: {
      /** @description Identifier of the transaction; signed */
      transactionId: string
      /** @description Status of the transaction; not signed, so read it from the service before you act on it */
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
      /** @description Merchant account of card operations; signed */
      mid: string
      /** @description Amount of the transaction, signed exactly as it is sent */
      orderAmount: string | number
      /** @description Currency of the transaction; signed */
      orderCurrency: string
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      } | null
    } & {
      [key: string]: unknown
    }
    ApmCallback: {
      /** @description Identifier of the transaction; signed */
      transactionId: string
      /** @description Status of the transaction; not signed, so read it from the service before you act on it */
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
      /** @description Merchant account of APM operations; signed */
      accountId: string
      /** @description Amount of the transaction, signed exactly as it is sent */
      amount: string | number
      /** @description Currency of the transaction; signed */
      currency: string
      /** @description Name of the payment method, equal to the query parameter `apmType` */
      apmType?: string | null
      /** @description Data of the payment method: pages, QR codes and identifiers */
      apmResponseData?: components["schemas"]["ApmResponseData"] | null
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      } | null
    } & {
      [key: string]: unknown
    }
    ApmResponseData: {
      /** @description Identifier of the transaction at the provider of the payment method */
      providerTransactionId?: string | null
      /** @description Page for an iframe */
      iframeUrl?: string | null
      /** @description Next step of the customer, such as REDIRECTION. The specification does not list the values */
      actionType?: string | null
      /** @description Content of a QR code that the customer scans */
      qrData?: string | null
      /** @description Link that opens the payment in the customer's application */
      qrDeepLink?: string | null
      /** @description Full page to redirect the customer to */
      redirectUrl?: string | null
      /** @description Type of the payment. The specification does not list the values */
      paymentType?: string | null
      /** @description Name of the payment method. The specification does not list the values */
      paymentMethod?: string | null
    } & {
      [key: string]: unknown
    }
    /** @description Unexpected error */
    Failure500: {
      /** @description Reason in words */
      message: string
      /** @description The invalid fields */
      errors?: {
        /** @description Name of the invalid field */
        field: string
        /** @description Reason in words */
        message: string
      }[]
    }
    /** @description The requested resource does not exist */
    Failure404: {
      /** @description Reason in words */
      message: string
      /** @description The invalid fields */
      errors?: {
        /** @description Name of the invalid field */
        field: string
        /** @description Reason in words */
        message: string
      }[]
    }
    /** @description Missing, expired or invalid bearer token */
    Failure401: {
      /** @description Reason in words */
      message: string
      /** @description The invalid fields */
      errors?: {
        /** @description Name of the invalid field */
        field: string
        /** @description Reason in words */
        message: string
      }[]
    }
    /** @description Missing or invalid parameters */
    Failure400: {
      /** @description Reason in words */
      message: string
      /** @description The invalid fields */
      errors?: {
        /** @description Name of the invalid field */
        field: string
        /** @description Reason in words */
        message: string
      }[]
    }
    Subscription: {
      /** @description Identifier of the subscription, assigned by the service */
      subscriptionId: string
      /** @description Status of the subscription */
      status: ("PENDING" | "TRIALING" | "ACTIVE" | "PAUSED" | "CANCELED") | string
      /** @description Time of the next charge. The specification does not show its format */
      nextChargeDate?: string | null
      /** @description Time of creation, ISO 8601 */
      createdAt?: string | null
      /** @description Amount and times of the charges */
      plan?: components["schemas"]["SubscriptionPlanDto"] | null
      /** @description Customer who is billed, or person who receives the money */
      billingDetails?: components["schemas"]["BillingDetailsDto"] | null
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      } | null
      /** @description Number of failed charges */
      failureCount?: number | null
      /** @description Time of the last charge. The specification does not show its format */
      lastChargeDate?: string | null
      /** @description Result of the last charge. The specification does not list the values */
      lastChargeStatus?: string | null
    } & {
      [key: string]: unknown
    }
    BillingDetailsDto: {
      /** @description Identifier of the customer at the merchant */
      externalUserId?: string
      /** @description First name; needed for frictionless 3-D Secure 2 */
      firstName?: string
      /** @description Last name; needed for frictionless 3-D Secure 2 */
      lastName?: string
      /** @description First line of the street address; needed for frictionless 3-D Secure 2 */
      address1?: string
      /** @description City; needed for frictionless 3-D Secure 2 */
      city?: string
      /** @description State or province */
      state?: string
      /** @description Country: two capital letters of ISO 3166-1 alpha-2 */
      country?: string
      /** @description ZIP or postal code */
      postalCode?: string
      /** @description Phone number with the country code; needed for frictionless 3-D Secure 2 */
      phone?: string
      /** @description Date of birth, YYYY-MM-DD; needed for frictionless 3-D Secure 2 */
      dateOfBirth?: string
      /** @description E-mail address */
      email: string
    } & {
      [key: string]: unknown
    }
    SubscriptionPlanDto: {
      /** @description Amount as decimal text in major units, such as "10.50" */
      amount?: string | null
      /** @description Currency: three capital letters of ISO 4217 */
      currency?: string | null
      /** @description Unit of the time between two charges */
      frequency?: ("DAILY" | "WEEKLY" | "MONTHLY" | "CUSTOM") | string
      /** @description Number of units of `frequency` between two charges */
      interval?: number
      /** @description Start of the subscription. The specification does not show its format */
      startDate?: string | null
      /** @description End of the subscription. The specification does not show its format */
      endDate?: string | null
    } & {
      [key: string]: unknown
    }
    SubscriptionUpdate: {
      /** @description Amount and times of the charges */
      plan?: components["schemas"]["UpdatePlan"]
      /** @description Status of the subscription */
      status?: ("PENDING" | "TRIALING" | "ACTIVE" | "PAUSED" | "CANCELED") | string
    } & {
      [key: string]: unknown
    }
    UpdatePlan: {
      /** @description Amount as decimal text in major units, such as "10.50". More than two decimals are rounded; the sandbox rounds half up */
      amount?: string
      /** @description Currency: three capital letters of ISO 4217 */
      currency?: string
      /** @description Unit of the time between two charges */
      frequency?: ("DAILY" | "WEEKLY" | "MONTHLY" | "CUSTOM") | string
      /** @description Number of units of `frequency` between two charges */
      interval?: number
      /** @description Start of the subscription. The specification does not show its format */
      startDate?: string
      /** @description End of the subscription. The specification does not show its format */
      endDate?: string
    } & {
      [key: string]: unknown
    }
    SubscriptionResponse: {
      /** @description Identifier of the subscription, assigned by the service */
      subscriptionId: string
      /** @description Identifier of the transaction, assigned by the service */
      transactionId?: string
      /** @description Status of the transaction */
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
      /** @description Numeric reason of a decline; only with FAILED */
      declineCode?: number | null
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      } | null
      /** @description Page of the 3-D Secure challenge; only with CUSTOMER_VERIFICATION */
      challengeUrl?: string | null
      /** @description The same challenge for an iframe; only with CUSTOMER_VERIFICATION */
      challengeUrlIframe?: string | null
      /** @description Time of the next charge. The specification does not show its format */
      nextChargeDate?: string | null
    } & {
      [key: string]: unknown
    }
    SubscriptionRequest: {
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId: string
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      }
      /** @description Merchant account of card operations */
      mid: string
      /** @description Token that stands for a card; charges and subscriptions take it */
      cardToken: string
      /** @description Amount and times of the charges */
      plan: components["schemas"]["SubscriptionPlan"]
      /** @description Customer who is billed, or person who receives the money */
      billingDetails?: components["schemas"]["BillingDetails"]
      /** @description Order of the merchant, for reconciliation */
      order?: components["schemas"]["Order"]
      /** @description Device of the customer; needed for 3-D Secure */
      device?: components["schemas"]["Device"]
      /** @description Absolute http(s) URL that receives the callbacks; without it there are none */
      callbackUrl: string
      /** @description Absolute http(s) URL that the customer returns to after a success. The return does not confirm the payment */
      successRedirectUrl: string
      /** @description Absolute http(s) URL that the customer returns to after a failure */
      failureRedirectUrl: string
      /** @description Whether the first charge waits until the start date of the plan */
      skipFirstCharge?: boolean
    } & {
      [key: string]: unknown
    }
    Device: {
      /** @description Identifier of the device, generated by the merchant */
      deviceId?: string
      /** @description Hash of the device fingerprint */
      fingerprintData?: string
      /** @description IP address of the customer, for geolocation and risk scoring */
      ip?: string
      /** @description Accept header of the browser; needed for 3-D Secure */
      accept?: string
      /** @description Accept-Language header of the browser; needed for 3-D Secure */
      acceptLanguage?: string
      /** @description Accept header of the browser; needed for 3-D Secure if `accept` is absent */
      acceptHeader?: string
      /** @description User-Agent header of the browser */
      userAgent?: string
      /** @description Whether Java is enabled; needed for 3-D Secure */
      javaEnabled?: boolean
      /** @description Whether JavaScript is enabled; needed for 3-D Secure */
      javaScriptEnabled?: boolean
      /** @description Language code of the device; needed for 3-D Secure */
      deviceLanguage?: string
      /** @description Color depth of the screen in bits, as text; needed for 3-D Secure */
      colorDepth?: string
      /** @description Height of the screen in pixels, as text; needed for 3-D Secure */
      screenHeight?: string
      /** @description Width of the screen in pixels, as text; needed for 3-D Secure */
      screenWidth?: string
      /** @description Offset or name of the time zone; needed for 3-D Secure */
      deviceTimezone?: string
    } & {
      [key: string]: unknown
    }
    Order: {
      /** @description Date of the order, ISO 8601 */
      date?: string
      /** @description Identifier of the order at the merchant */
      orderId?: string
      /** @description Title or description of the order */
      title?: string
      /** @description Site or platform where the order was placed */
      siteId?: string
      /** @description Name of the customer on the order */
      name?: string
      /** @description Domain where the order was placed */
      domainName?: string
    } & {
      [key: string]: unknown
    }
    BillingDetails: {
      /** @description Identifier of the customer at the merchant */
      externalUserId?: string
      /** @description First name; needed for frictionless 3-D Secure 2 */
      firstName?: string
      /** @description Last name; needed for frictionless 3-D Secure 2 */
      lastName?: string
      /** @description First line of the street address; needed for frictionless 3-D Secure 2 */
      address1?: string
      /** @description City; needed for frictionless 3-D Secure 2 */
      city?: string
      /** @description State or province */
      state?: string
      /** @description Country: two capital letters of ISO 3166-1 alpha-2 */
      country?: string
      /** @description ZIP or postal code */
      postalCode?: string
      /** @description Phone number with the country code; needed for frictionless 3-D Secure 2 */
      phone?: string
      /** @description Date of birth, YYYY-MM-DD; needed for frictionless 3-D Secure 2 */
      dateOfBirth?: string
      /** @description E-mail address */
      email: string
    } & {
      [key: string]: unknown
    }
    SubscriptionPlan: {
      /** @description Amount as decimal text in major units, such as "10.50". More than two decimals are rounded; the sandbox rounds half up */
      amount: string
      /** @description Currency: three capital letters of ISO 4217 */
      currency: string
      /** @description Unit of the time between two charges */
      frequency: ("DAILY" | "WEEKLY" | "MONTHLY" | "CUSTOM") | string
      /** @description Number of units of `frequency` between two charges */
      interval: number
      /** @description Start of the subscription. The specification does not show its format */
      startDate: string
      /** @description End of the subscription. The specification does not show its format */
      endDate?: string
    } & {
      [key: string]: unknown
    }
    PaymentIntentResponse: {
      /** @description Full page to redirect the customer to */
      redirectUrl?: string | null
      /** @description Page for an iframe */
      iframeUrl?: string | null
      /** @description Reason of a rejection; null on success */
      errorCode?: string | null
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      } | null
    } & {
      [key: string]: unknown
    }
    PaymentIntentRequest: {
      /**
       * @description PAYMENT: the customer pays. PAYOUT: the customer receives money
       * @enum {string}
       */
      type: "PAYMENT" | "PAYOUT"
      /** @description Currency: three capital letters of ISO 4217 */
      currency?: string
      /** @description Language of the page: two lower-case letters */
      lang: string
      /** @description Amount as decimal text in major units, such as "10.50". More than two decimals are rounded; the sandbox rounds half up */
      amount?: string
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId: string
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      }
      /** @description Merchant account of card operations */
      mid: string
      /** @description Customer who is billed, or person who receives the money */
      billingDetails: components["schemas"]["PaymentIntentBillingDetails"]
      /** @description Absolute http(s) URL that receives the callbacks; without it there are none */
      callbackUrl: string
      /** @description Absolute http(s) URL that the customer returns to after a success. The return does not confirm the payment */
      successRedirectUrl: string
      /** @description Absolute http(s) URL that the customer returns to after a failure */
      failureRedirectUrl: string
      /** @description Order of the merchant, for reconciliation */
      order: components["schemas"]["Order"]
      /** @description Device of the customer; needed for 3-D Secure */
      device: components["schemas"]["Device"]
      /** @description Whether the customer passed KYC on the platform of the merchant */
      kycVerified?: boolean
      /** @description Number of earlier successful payments by the customer, for risk scoring */
      previousPaymentCount?: number
    } & {
      [key: string]: unknown
    }
    PaymentIntentBillingDetails: {
      /** @description Identifier of the customer at the merchant */
      externalUserId?: string
      /** @description First name; needed for frictionless 3-D Secure 2 */
      firstName?: string
      /** @description Last name; needed for frictionless 3-D Secure 2 */
      lastName?: string
      /** @description First line of the street address; needed for frictionless 3-D Secure 2 */
      address1?: string
      /** @description City; needed for frictionless 3-D Secure 2 */
      city?: string
      /** @description State or province */
      state?: string
      /** @description Country: two capital letters of ISO 3166-1 alpha-2 */
      country?: string
      /** @description ZIP or postal code */
      postalCode?: string
      /** @description Phone number with the country code; needed for frictionless 3-D Secure 2 */
      phone?: string
      /** @description Date of birth, YYYY-MM-DD; needed for frictionless 3-D Secure 2 */
      dateOfBirth?: string
      /** @description E-mail address */
      email: string
    } & {
      [key: string]: unknown
    }
    RefundInfo: {
      /** @description Identifier of the refunded payment */
      transactionId: string
      /** @description Identifier of the refund, assigned by the service; its status and info reads take it */
      refundId: string
      /** @description Merchant account of card operations */
      mid?: string | null
      /** @description Amount of the transaction in major units */
      totalAmount?: number
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId?: string | null
      /** @description Status of the transaction */
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
      /** @description Numeric reason of a decline; only with FAILED */
      declineCode?: number | null
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      } | null
      /** @description Absolute http(s) URL that receives the callbacks; without it there are none */
      callbackUrl?: string | null
      /** @description Time of creation, ISO 8601 */
      createdAt?: string | null
    } & {
      [key: string]: unknown
    }
    RefundResponse: {
      /** @description Identifier of the refund, assigned by the service; its status and info reads take it */
      refundId: string
      /** @description Status of the transaction */
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
      /** @description Numeric reason of a decline; only with FAILED */
      declineCode?: number | null
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      } | null
      /** @description Page of the 3-D Secure challenge; only with CUSTOMER_VERIFICATION */
      challengeUrl?: string | null
      /** @description The same challenge for an iframe; only with CUSTOMER_VERIFICATION */
      challengeUrlIframe?: string | null
      /** @description Kind of the payment: CARD or APM */
      paymentType?: string | null
    } & {
      [key: string]: unknown
    }
    RefundRequest: {
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId: string
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      }
      /** @description Merchant account of card operations */
      mid: string
      /** @description Identifier of the payment to refund */
      transactionId: number
      /** @description Amount of the refund as decimal text in major units, such as "10.50". More than two decimals are rounded; the sandbox rounds half up */
      amount: string
      /** @description Reason of the refund, free text such as customer_request, duplicate or fraudulent */
      reason: string
      /** @description Absolute http(s) URL that receives the callbacks; without it there are none */
      callbackUrl?: string
    } & {
      [key: string]: unknown
    }
    CardPayoutInfo: {
      /** @description Identifier of the transaction, assigned by the service */
      transactionId: string
      /** @description Merchant account of card operations */
      mid?: string | null
      /** @description Card number with the first 6 and the last 4 digits visible */
      cardMask?: string | null
      /** @description Name of the card holder */
      cardHolder?: string | null
      /** @description Amount of the transaction in major units */
      totalAmount?: number
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId?: string | null
      /** @description Status of the transaction */
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
      /** @description Numeric reason of a decline; only with FAILED */
      declineCode?: number | null
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      } | null
      /** @description Absolute http(s) URL that receives the callbacks; without it there are none */
      callbackUrl?: string | null
      /** @description Time of creation, ISO 8601 */
      createdAt?: string | null
    } & {
      [key: string]: unknown
    }
    CardPayoutResponse: {
      /** @description Identifier of the transaction, assigned by the service */
      transactionId: string
      /** @description Status of the transaction */
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
      /** @description Numeric reason of a decline; only with FAILED */
      declineCode?: number | null
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      } | null
      /** @description Page of the 3-D Secure challenge; only with CUSTOMER_VERIFICATION */
      challengeUrl?: string | null
      /** @description The same challenge for an iframe; only with CUSTOMER_VERIFICATION */
      challengeUrlIframe?: string | null
      /** @description Kind of the payment: CARD or APM */
      paymentType?: string | null
    } & {
      [key: string]: unknown
    }
    CardPayoutRequest: {
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId: string
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      }
      /** @description Merchant account of card operations */
      mid: string
      /** @description Amount as decimal text in major units, such as "10.50". More than two decimals are rounded; the sandbox rounds half up */
      amount: string
      /** @description Card that receives the money */
      card: components["schemas"]["PayoutCardDetails"]
      /** @description Customer who is billed, or person who receives the money */
      billingDetails?: components["schemas"]["PayoutBillingDetails"]
      /** @description Absolute http(s) URL that receives the callbacks; without it there are none */
      callbackUrl?: string
    } & {
      [key: string]: unknown
    }
    PayoutBillingDetails: {
      /** @description First name */
      firstName?: string
      /** @description Last name */
      lastName?: string
      /** @description Street address */
      address?: string
      /** @description ZIP or postal code */
      postalCode?: string
      /** @description City */
      city?: string
      /** @description State or province */
      state?: string
      /** @description Country code */
      countryCode?: string
      /** @description Phone number */
      phone?: string
      /** @description E-mail address */
      email: string
    } & {
      [key: string]: unknown
    }
    PayoutCardDetails: {
      /** @description Month of expiry, MM */
      expMonth: string
      /** @description Year of expiry, YYYY */
      expYear: string
      /** @description Full card number: digits only */
      number: string
      /** @description Security code of 3 or 4 digits */
      cvv?: string
      /** @description Name as printed on the card */
      cardHolderName?: string
    } & {
      [key: string]: unknown
    }
    CardPaymentResponse: {
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId?: string | null
      /** @description Identifier of the transaction, assigned by the service */
      transactionId: string
      /** @description Status of the transaction */
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
      /** @description Numeric reason of a decline; only with FAILED */
      declineCode?: number | null
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      } | null
      /** @description Page of the 3-D Secure challenge; only with CUSTOMER_VERIFICATION */
      challengeUrl?: string | null
      /** @description The same challenge for an iframe; only with CUSTOMER_VERIFICATION */
      challengeUrlIframe?: string | null
      /** @description Kind of the payment: CARD or APM */
      paymentType?: string | null
      /** @description Token that stands for a card; charges and subscriptions take it */
      cardToken?: string | null
    } & {
      [key: string]: unknown
    }
    CardPaymentRequest: {
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId: string
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      }
      /** @description Merchant account of card operations */
      mid?: string
      /** @description Amount as decimal text in major units, such as "10.50". More than two decimals are rounded; the sandbox rounds half up */
      amount?: string
      /** @description Currency: three capital letters of ISO 4217 */
      currency?: string
      /** @description Token that stands for a card; charges and subscriptions take it */
      cardToken?: string
      /** @description Absolute http(s) URL that receives the callbacks; without it there are none */
      callbackUrl?: string
    } & {
      [key: string]: unknown
    }
    TokenizeResponse: {
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId?: string | null
      /** @description Token that stands for a card; charges and subscriptions take it */
      cardToken: string
    } & {
      [key: string]: unknown
    }
    TokenizeRequest: {
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId: string
      /** @description Merchant account of card operations */
      mid?: string
    } & {
      [key: string]: unknown
    }
    ApmPayoutInfo: {
      /** @description Identifier of the transaction, assigned by the service */
      transactionId: string
      /** @description Merchant account of APM operations, without `|` and control characters */
      accountId?: number
      /** @description Second reason of a decline. The specification does not list the values */
      declineSubReason?: string | null
      /** @description The `apmPayload` of the request */
      apmRequestPayload?: components["schemas"]["ApmPayload"] | null
      /** @description Data of the payment method: pages, QR codes and identifiers */
      apmResponseData?: components["schemas"]["ApmResponseData"] | null
      /** @description Customer who is billed, or person who receives the money */
      billingDetails?: components["schemas"]["ApmBillingDetailsDto"] | null
      /** @description Order of the merchant, for reconciliation */
      order?: components["schemas"]["OrderDto"] | null
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId?: string | null
      /** @description Status of the transaction */
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
      /** @description Numeric reason of a decline; only with FAILED */
      declineCode?: number | null
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      } | null
      /** @description Absolute http(s) URL that receives the callbacks; without it there are none */
      callbackUrl?: string | null
      /** @description Time of creation, ISO 8601 */
      createdAt?: string | null
    } & {
      [key: string]: unknown
    }
    OrderDto: {
      /** @description Date of the order, ISO 8601 */
      date?: string
      /** @description Identifier of the order at the merchant */
      orderId?: string
      /** @description Title or description of the order */
      title?: string
      /** @description Site or platform where the order was placed */
      siteId?: string
      /** @description Name of the customer on the order */
      name?: string
      /** @description Domain where the order was placed */
      domainName?: string
    } & {
      [key: string]: unknown
    }
    ApmBillingDetailsDto: {
      /** @description Identifier of the customer at the merchant */
      externalUserId?: string
      /** @description First name; needed for frictionless 3-D Secure 2 */
      firstName?: string
      /** @description Last name; needed for frictionless 3-D Secure 2 */
      lastName?: string
      /** @description First line of the street address; needed for frictionless 3-D Secure 2 */
      address1?: string
      /** @description City; needed for frictionless 3-D Secure 2 */
      city?: string
      /** @description State or province */
      state?: string
      /** @description Country: two capital letters of ISO 3166-1 alpha-2 */
      country?: string
      /** @description ZIP or postal code */
      postalCode?: string
      /** @description Phone number with the country code; needed for frictionless 3-D Secure 2 */
      phone?: string
      /** @description Date of birth, YYYY-MM-DD; needed for frictionless 3-D Secure 2 */
      dateOfBirth?: string
      /** @description E-mail address */
      email?: string
      /** @description Text. The specification does not show its meaning */
      ssn?: string
      /** @description Text. The specification does not show its meaning */
      identityCode?: string
    } & {
      [key: string]: unknown
    }
    ApmPayload: {
      /** @description Type of the payment. The specification does not list the values */
      paymentType?: string
      /** @description Name of the payment method. The specification does not list the values */
      paymentMethod?: string
    } & {
      [key: string]: unknown
    }
    ApmPayoutResponse: {
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId?: string
      /** @description Identifier of the transaction, assigned by the service */
      transactionId: string
      /** @description Status of the transaction */
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
      /** @description Numeric reason of a decline; only with FAILED */
      declineCode?: number | null
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      } | null
      /** @description Page of the 3-D Secure challenge; only with CUSTOMER_VERIFICATION */
      challengeUrl?: string | null
      /** @description The same challenge for an iframe; only with CUSTOMER_VERIFICATION */
      challengeUrlIframe?: string | null
      /** @description Kind of the payment: CARD or APM */
      paymentType?: string | null
      /** @description Second reason of a decline. The specification does not list the values */
      declineSubReason?: string | null
      /** @description Data of the payment method: pages, QR codes and identifiers */
      apmResponseData?: components["schemas"]["ApmResponseData"] | null
      /** @description Time of creation as text. The specification does not show its format */
      createdTime?: string | null
    } & {
      [key: string]: unknown
    }
    ApmPayoutRequest: {
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId: string
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      }
      /** @description Merchant account of APM operations, without `|` and control characters */
      accountId: string
      /** @description Input of the payment method; the other fields of this object depend on the method */
      apmPayload: components["schemas"]["ApmPayload"]
      /** @description Absolute http(s) URL that the customer returns to after a success. The return does not confirm the payment */
      successRedirectUrl?: string
      /** @description Absolute http(s) URL that the customer returns to after a failure */
      failureRedirectUrl?: string
      /** @description Absolute http(s) URL that receives the callbacks; without it there are none */
      callbackUrl?: string
      /** @description Amount as decimal text in major units, such as "10.50". More than two decimals are rounded; the sandbox rounds half up */
      amount: string
      /** @description Currency: three capital letters of ISO 4217 */
      currency: string
      /** @description Order of the merchant, for reconciliation */
      order?: components["schemas"]["Order"]
      /** @description Customer who is billed, or person who receives the money */
      billingDetails?: components["schemas"]["ApmBillingDetails"]
      /** @description Device of the customer; needed for 3-D Secure */
      device?: components["schemas"]["Device"]
      /** @description As in the request for an APM payment. The specification does not say whether a payout requires it */
      checksum?: string
    } & {
      [key: string]: unknown
    }
    ApmBillingDetails: {
      /** @description Identifier of the customer at the merchant */
      externalUserId?: string
      /** @description First name; needed for frictionless 3-D Secure 2 */
      firstName?: string
      /** @description Last name; needed for frictionless 3-D Secure 2 */
      lastName?: string
      /** @description First line of the street address; needed for frictionless 3-D Secure 2 */
      address1?: string
      /** @description City; needed for frictionless 3-D Secure 2 */
      city?: string
      /** @description State or province */
      state?: string
      /** @description Country: two capital letters of ISO 3166-1 alpha-2 */
      country?: string
      /** @description ZIP or postal code */
      postalCode?: string
      /** @description Phone number with the country code; needed for frictionless 3-D Secure 2 */
      phone?: string
      /** @description Date of birth, YYYY-MM-DD; needed for frictionless 3-D Secure 2 */
      dateOfBirth?: string
      /** @description E-mail address */
      email?: string
      /** @description Text. The specification does not show its meaning */
      ssn?: string
      /** @description Text. The specification does not show its meaning */
      identityCode?: string
    } & {
      [key: string]: unknown
    }
    ApmPaymentResponse: {
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId?: string
      /** @description Identifier of the transaction, assigned by the service */
      transactionId: string
      /** @description Status of the transaction */
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
      /** @description Numeric reason of a decline; only with FAILED */
      declineCode?: number | null
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      } | null
      /** @description Page of the 3-D Secure challenge; only with CUSTOMER_VERIFICATION */
      challengeUrl?: string | null
      /** @description The same challenge for an iframe; only with CUSTOMER_VERIFICATION */
      challengeUrlIframe?: string | null
      /** @description Kind of the payment: CARD or APM */
      paymentType?: string | null
      /** @description Second reason of a decline. The specification does not list the values */
      declineSubReason?: string | null
      /** @description Data of the payment method: pages, QR codes and identifiers */
      apmResponseData?: components["schemas"]["ApmResponseData"] | null
      /** @description Time of creation as text. The specification does not show its format */
      createdTime?: string | null
    } & {
      [key: string]: unknown
    }
    ApmPaymentRequest: {
      /** @description Identifier of the request, chosen by the merchant. A request that is repeated with the same requestId returns the original response */
      requestId: string
      /** @description Key-value pairs of the merchant; responses and callbacks return them unchanged */
      metadata?: {
        [key: string]: string
      }
      /** @description Merchant account of APM operations, without `|` and control characters */
      accountId: string
      /** @description Input of the payment method; the other fields of this object depend on the method */
      apmPayload: components["schemas"]["ApmPayload"]
      /** @description Absolute http(s) URL that the customer returns to after a success. The return does not confirm the payment */
      successRedirectUrl?: string
      /** @description Absolute http(s) URL that the customer returns to after a failure */
      failureRedirectUrl?: string
      /** @description Absolute http(s) URL that receives the callbacks; without it there are none */
      callbackUrl?: string
      /** @description Amount as decimal text in major units, such as "10.50". More than two decimals are rounded; the sandbox rounds half up */
      amount: string
      /** @description Currency: three capital letters of ISO 4217 */
      currency: string
      /** @description Order of the merchant, for reconciliation */
      order?: components["schemas"]["Order"]
      /** @description Customer who is billed, or person who receives the money */
      billingDetails?: components["schemas"]["ApmBillingDetails"]
      /** @description Device of the customer; needed for 3-D Secure */
      device?: components["schemas"]["Device"]
      /** @description Lower-case hex of the HMAC-SHA256, keyed with the merchant secret, of accountId, requestId, amount and currency. The specification does not name the separator; this service joins them with `|` */
      checksum: string
    } & {
      [key: string]: unknown
    }
    AuthResponse: {
      /** @description Access token for the header `Authorization: Bearer`: a JWT, valid for 30 days. The specification does not name this field */
      accessToken: string
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
        /**
         * @example {
         *       "merchantKey": "sandbox-key",
         *       "merchantSecret": "sandbox-secret"
         *     }
         */
        "application/json": {
          /** @description Key of the merchant, from the operator of the service */
          merchantKey: string
          /** @description Secret of the merchant, from the operator of the service */
          merchantSecret: string
        }
      }
    }
    responses: {
      /** @description AuthResponse */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "accessToken": "header.claims.signature"
           *     }
           */
          "application/json": components["schemas"]["AuthResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /**
         * @example {
         *       "requestId": "apm-payment-1",
         *       "accountId": "77",
         *       "amount": "10.50",
         *       "currency": "EUR",
         *       "apmPayload": {
         *         "paymentMethod": "WALLET"
         *       },
         *       "callbackUrl": "https://shop.example/callback",
         *       "successRedirectUrl": "https://shop.example/thanks",
         *       "failureRedirectUrl": "https://shop.example/sorry",
         *       "metadata": {
         *         "cart": "A-1041"
         *       },
         *       "order": {
         *         "orderId": "A-1041",
         *         "title": "Tea"
         *       },
         *       "billingDetails": {
         *         "firstName": "Ada",
         *         "lastName": "Lind",
         *         "address1": "1 Harbour Street",
         *         "city": "Riga",
         *         "country": "LV",
         *         "phone": "+37120000000",
         *         "dateOfBirth": "1990-05-17",
         *         "email": "ada@shop.example"
         *       },
         *       "device": {
         *         "ip": "192.0.2.7",
         *         "acceptLanguage": "en",
         *         "userAgent": "Mozilla/5.0"
         *       },
         *       "checksum": "c3812251adf999fe37a1a38fffcb32ef38bdeca4becb0b5ade5b013ba0a5a0db"
         *     }
         */
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
          /**
           * @example {
           *       "requestId": "apm-payment-1",
           *       "transactionId": "100001",
           *       "transactionStatus": "NEW",
           *       "metadata": {
           *         "cart": "A-1041"
           *       },
           *       "paymentType": "APM",
           *       "createdTime": "2026-01-31T09:30:00.000Z",
           *       "apmResponseData": {
           *         "actionType": "REDIRECTION",
           *         "redirectUrl": "https://pay.example/pay/100001",
           *         "paymentMethod": "WALLET"
           *       }
           *     }
           */
          "application/json": components["schemas"]["ApmPaymentResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /** @description Identifier of the transaction: transactionId, or refundId of a refund */
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
          /** @example SUCCEED */
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
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /**
         * @example {
         *       "requestId": "apm-payout-1",
         *       "accountId": "77",
         *       "amount": "10.50",
         *       "currency": "EUR",
         *       "apmPayload": {
         *         "paymentMethod": "WALLET"
         *       },
         *       "callbackUrl": "https://shop.example/callback",
         *       "successRedirectUrl": "https://shop.example/thanks",
         *       "failureRedirectUrl": "https://shop.example/sorry",
         *       "metadata": {
         *         "cart": "A-1041"
         *       },
         *       "order": {
         *         "orderId": "A-1041",
         *         "title": "Tea"
         *       },
         *       "billingDetails": {
         *         "firstName": "Ada",
         *         "lastName": "Lind",
         *         "address1": "1 Harbour Street",
         *         "city": "Riga",
         *         "country": "LV",
         *         "phone": "+37120000000",
         *         "dateOfBirth": "1990-05-17",
         *         "email": "ada@shop.example"
         *       }
         *     }
         */
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
          /**
           * @example {
           *       "requestId": "apm-payout-1",
           *       "transactionId": "100001",
           *       "transactionStatus": "NEW",
           *       "metadata": {
           *         "cart": "A-1041"
           *       },
           *       "paymentType": "APM",
           *       "createdTime": "2026-01-31T09:30:00.000Z",
           *       "apmResponseData": {
           *         "actionType": "REDIRECTION",
           *         "redirectUrl": "https://pay.example/pay/100001",
           *         "paymentMethod": "WALLET"
           *       }
           *     }
           */
          "application/json": components["schemas"]["ApmPayoutResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /** @description Identifier of the transaction: transactionId, or refundId of a refund */
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
          /**
           * @example {
           *       "transactionId": "100002",
           *       "requestId": "apm-payout-1",
           *       "accountId": 77,
           *       "apmRequestPayload": {
           *         "paymentMethod": "WALLET"
           *       },
           *       "transactionStatus": "SUCCEED",
           *       "callbackUrl": "https://shop.example/callback",
           *       "createdAt": "2026-01-31T09:30:00.000Z",
           *       "metadata": {
           *         "cart": "A-1041"
           *       },
           *       "order": {
           *         "orderId": "A-1041",
           *         "title": "Tea"
           *       },
           *       "billingDetails": {
           *         "firstName": "Ada",
           *         "lastName": "Lind",
           *         "address1": "1 Harbour Street",
           *         "city": "Riga",
           *         "country": "LV",
           *         "phone": "+37120000000",
           *         "dateOfBirth": "1990-05-17",
           *         "email": "ada@shop.example"
           *       }
           *     }
           */
          "application/json": components["schemas"]["ApmPayoutInfo"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /** @description Identifier of the transaction: transactionId, or refundId of a refund */
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
          /** @example SUCCEED */
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
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /**
         * @example {
         *       "requestId": "card-payment-1",
         *       "mid": "m-1",
         *       "amount": "10.50",
         *       "currency": "EUR",
         *       "card": {
         *         "number": "4242424242424242",
         *         "expMonth": "12",
         *         "expYear": "2030",
         *         "cvv": "123"
         *       },
         *       "callbackUrl": "https://shop.example/callback",
         *       "metadata": {
         *         "cart": "A-1041"
         *       }
         *     }
         */
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
          /**
           * @example {
           *       "requestId": "card-payment-1",
           *       "transactionId": "100001",
           *       "transactionStatus": "NEW",
           *       "metadata": {
           *         "cart": "A-1041"
           *       },
           *       "paymentType": "CARD"
           *     }
           */
          "application/json": components["schemas"]["CardPaymentResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /**
         * @example {
         *       "requestId": "tokenize-1",
         *       "mid": "m-1",
         *       "card": {
         *         "number": "4242424242424242",
         *         "expMonth": "12",
         *         "expYear": "2030",
         *         "cvv": "123"
         *       }
         *     }
         */
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
          /**
           * @example {
           *       "requestId": "tokenize-1",
           *       "cardToken": "tok_1f0c2a7e"
           *     }
           */
          "application/json": components["schemas"]["TokenizeResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /**
         * @example {
         *       "requestId": "charge-1",
         *       "mid": "m-1",
         *       "amount": "10.50",
         *       "currency": "EUR",
         *       "cardToken": "tok_1f0c2a7e",
         *       "callbackUrl": "https://shop.example/callback",
         *       "metadata": {
         *         "cart": "A-1041"
         *       }
         *     }
         */
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
          /**
           * @example {
           *       "requestId": "charge-1",
           *       "transactionId": "100001",
           *       "transactionStatus": "NEW",
           *       "metadata": {
           *         "cart": "A-1041"
           *       },
           *       "paymentType": "CARD"
           *     }
           */
          "application/json": components["schemas"]["CardPaymentResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /** @description Identifier of the transaction: transactionId, or refundId of a refund */
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
          /** @example SUCCEED */
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
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /**
         * @example {
         *       "requestId": "card-payout-1",
         *       "mid": "m-1",
         *       "amount": "5.00",
         *       "card": {
         *         "number": "4242424242424242",
         *         "expMonth": "12",
         *         "expYear": "2030",
         *         "cvv": "123",
         *         "cardHolderName": "Ada Lind"
         *       },
         *       "billingDetails": {
         *         "firstName": "Ada",
         *         "lastName": "Lind",
         *         "countryCode": "LV",
         *         "email": "ada@shop.example"
         *       },
         *       "callbackUrl": "https://shop.example/callback",
         *       "metadata": {
         *         "cart": "A-1041"
         *       }
         *     }
         */
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
          /**
           * @example {
           *       "transactionId": "100001",
           *       "transactionStatus": "NEW",
           *       "metadata": {
           *         "cart": "A-1041"
           *       },
           *       "paymentType": "CARD"
           *     }
           */
          "application/json": components["schemas"]["CardPayoutResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /** @description Identifier of the transaction: transactionId, or refundId of a refund */
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
          /**
           * @example {
           *       "transactionId": "100004",
           *       "requestId": "card-payout-1",
           *       "mid": "m-1",
           *       "cardMask": "424242******4242",
           *       "cardHolder": "Ada Lind",
           *       "totalAmount": 5,
           *       "transactionStatus": "SUCCEED",
           *       "callbackUrl": "https://shop.example/callback",
           *       "createdAt": "2026-01-31T09:30:00.000Z",
           *       "metadata": {
           *         "cart": "A-1041"
           *       }
           *     }
           */
          "application/json": components["schemas"]["CardPayoutInfo"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /** @description Identifier of the transaction: transactionId, or refundId of a refund */
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
          /** @example SUCCEED */
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
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /**
         * @example {
         *       "requestId": "refund-1",
         *       "mid": "m-1",
         *       "transactionId": 100003,
         *       "amount": "1.50",
         *       "reason": "customer_request",
         *       "callbackUrl": "https://shop.example/callback",
         *       "metadata": {
         *         "cart": "A-1041"
         *       }
         *     }
         */
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
          /**
           * @example {
           *       "refundId": "100005",
           *       "transactionStatus": "NEW",
           *       "paymentType": "CARD",
           *       "metadata": {
           *         "cart": "A-1041"
           *       }
           *     }
           */
          "application/json": components["schemas"]["RefundResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /** @description Identifier of the transaction: transactionId, or refundId of a refund */
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
          /**
           * @example {
           *       "transactionId": "100003",
           *       "refundId": "100005",
           *       "requestId": "refund-1",
           *       "mid": "m-1",
           *       "totalAmount": 1.5,
           *       "transactionStatus": "SUCCEED",
           *       "callbackUrl": "https://shop.example/callback",
           *       "createdAt": "2026-01-31T09:30:00.000Z",
           *       "metadata": {
           *         "cart": "A-1041"
           *       }
           *     }
           */
          "application/json": components["schemas"]["RefundInfo"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /** @description Identifier of the transaction: transactionId, or refundId of a refund */
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
          /** @example SUCCEED */
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
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /**
         * @example {
         *       "type": "PAYMENT",
         *       "requestId": "intent-1",
         *       "mid": "m-1",
         *       "lang": "en",
         *       "amount": "10.50",
         *       "currency": "EUR",
         *       "billingDetails": {
         *         "firstName": "Ada",
         *         "lastName": "Lind",
         *         "address1": "1 Harbour Street",
         *         "city": "Riga",
         *         "country": "LV",
         *         "phone": "+37120000000",
         *         "dateOfBirth": "1990-05-17",
         *         "email": "ada@shop.example"
         *       },
         *       "callbackUrl": "https://shop.example/callback",
         *       "successRedirectUrl": "https://shop.example/thanks",
         *       "failureRedirectUrl": "https://shop.example/sorry",
         *       "order": {
         *         "orderId": "A-1041",
         *         "title": "Tea"
         *       },
         *       "device": {
         *         "ip": "192.0.2.7",
         *         "acceptLanguage": "en",
         *         "userAgent": "Mozilla/5.0"
         *       },
         *       "metadata": {
         *         "cart": "A-1041"
         *       }
         *     }
         */
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
          /**
           * @example {
           *       "redirectUrl": "https://pay.example/pay/intent-1",
           *       "iframeUrl": "https://pay.example/pay/intent-1?iframe=1",
           *       "errorCode": null
           *     }
           */
          "application/json": components["schemas"]["PaymentIntentResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /**
         * @example {
         *       "requestId": "subscription-1",
         *       "mid": "m-1",
         *       "cardToken": "tok_1f0c2a7e",
         *       "plan": {
         *         "amount": "10.50",
         *         "currency": "EUR",
         *         "frequency": "MONTHLY",
         *         "interval": 1,
         *         "startDate": "2100-01-31T00:00:00.000Z"
         *       },
         *       "billingDetails": {
         *         "firstName": "Ada",
         *         "lastName": "Lind",
         *         "address1": "1 Harbour Street",
         *         "city": "Riga",
         *         "country": "LV",
         *         "phone": "+37120000000",
         *         "dateOfBirth": "1990-05-17",
         *         "email": "ada@shop.example"
         *       },
         *       "order": {
         *         "orderId": "A-1041",
         *         "title": "Tea"
         *       },
         *       "device": {
         *         "ip": "192.0.2.7",
         *         "acceptLanguage": "en",
         *         "userAgent": "Mozilla/5.0"
         *       },
         *       "callbackUrl": "https://shop.example/callback",
         *       "successRedirectUrl": "https://shop.example/thanks",
         *       "failureRedirectUrl": "https://shop.example/sorry",
         *       "skipFirstCharge": true,
         *       "metadata": {
         *         "cart": "A-1041"
         *       }
         *     }
         */
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
          /**
           * @example {
           *       "subscriptionId": "100006",
           *       "nextChargeDate": "2100-01-31T00:00:00.000Z",
           *       "metadata": {
           *         "cart": "A-1041"
           *       }
           *     }
           */
          "application/json": components["schemas"]["SubscriptionResponse"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /** @description Identifier of the subscription */
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
          /**
           * @example {
           *       "subscriptionId": "100006",
           *       "status": "TRIALING",
           *       "nextChargeDate": "2100-01-31T00:00:00.000Z",
           *       "createdAt": "2026-01-31T09:30:00.000Z",
           *       "plan": {
           *         "amount": "10.50",
           *         "currency": "EUR",
           *         "frequency": "MONTHLY",
           *         "interval": 1,
           *         "startDate": "2100-01-31T00:00:00.000Z"
           *       },
           *       "billingDetails": {
           *         "firstName": "Ada",
           *         "lastName": "Lind",
           *         "address1": "1 Harbour Street",
           *         "city": "Riga",
           *         "country": "LV",
           *         "phone": "+37120000000",
           *         "dateOfBirth": "1990-05-17",
           *         "email": "ada@shop.example"
           *       },
           *       "failureCount": 0,
           *       "metadata": {
           *         "cart": "A-1041"
           *       }
           *     }
           */
          "application/json": components["schemas"]["Subscription"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /** @description Identifier of the subscription */
        subscriptionId: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "plan": {
         *         "amount": "12.00"
         *       },
         *       "status": "PAUSED"
         *     }
         */
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
          /**
           * @example {
           *       "subscriptionId": "100006",
           *       "status": "PAUSED",
           *       "createdAt": "2026-01-31T09:30:00.000Z",
           *       "plan": {
           *         "amount": "12.00",
           *         "currency": "EUR",
           *         "frequency": "MONTHLY",
           *         "interval": 1,
           *         "startDate": "2100-01-31T00:00:00.000Z"
           *       },
           *       "failureCount": 0,
           *       "metadata": {
           *         "cart": "A-1041"
           *       }
           *     }
           */
          "application/json": components["schemas"]["Subscription"]
        }
      }
      /** @description Missing or invalid parameters */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
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
        /** @description Identifier of the subscription */
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
          /**
           * @example {
           *       "message": "Missing or invalid parameters",
           *       "errors": [
           *         {
           *           "field": "amount",
           *           "message": "Expected a decimal amount"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Failure400"]
        }
      }
      /** @description Missing, expired or invalid bearer token */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Missing, expired or invalid bearer token"
           *     }
           */
          "application/json": components["schemas"]["Failure401"]
        }
      }
      /** @description The requested resource does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "The requested resource does not exist"
           *     }
           */
          "application/json": components["schemas"]["Failure404"]
        }
      }
      /** @description Unexpected error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "message": "Unexpected error"
           *     }
           */
          "application/json": components["schemas"]["Failure500"]
        }
      }
    }
  }
  cardCallback: {
    parameters: {
      query: {
        /** @description Layout of the callback */
        paymentMethod: "card"
      }
      header: {
        /** @description Base64 of the HMAC-SHA256, keyed with the merchant secret, of the signed fields joined with `|` */
        "X-Checksum": string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "transactionId": "100003",
         *       "transactionStatus": "SUCCEED",
         *       "mid": "m-1",
         *       "orderAmount": "10.50",
         *       "orderCurrency": "EUR",
         *       "metadata": {
         *         "cart": "A-1041"
         *       }
         *     }
         */
        "application/json": components["schemas"]["CardCallback"]
      }
    }
    responses: {
      /** @description The callback is taken, and is not sent again */
      200: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
  apmCallback: {
    parameters: {
      query: {
        /** @description Layout of the callback */
        paymentMethod: "apm"
        /** @description Name of the payment method */
        apmType: string
      }
      header: {
        /** @description Base64 of the HMAC-SHA256, keyed with the merchant secret, of the signed fields joined with `|` */
        "X-Checksum": string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "transactionId": "100001",
         *       "transactionStatus": "SUCCEED",
         *       "accountId": "77",
         *       "amount": "10.50",
         *       "currency": "EUR",
         *       "apmType": "WALLET",
         *       "apmResponseData": {
         *         "paymentMethod": "WALLET"
         *       },
         *       "metadata": {
         *         "cart": "A-1041"
         *       }
         *     }
         */
        "application/json": components["schemas"]["ApmCallback"]
      }
    }
    responses: {
      /** @description The callback is taken, and is not sent again */
      200: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
}
