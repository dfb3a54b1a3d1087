/** Text becomes an identifier or an amount only by its schema. */
import { Amount, Currency } from "@pawl/core/Amount"
import { AccountId, RequestId, TransactionId } from "@pawl/core/Transaction"
import { expectTypeOf } from "vitest"

export const id: TransactionId = TransactionId.make("100001")
export const requestId: RequestId = RequestId.make("order-1")
export const accountId: AccountId = AccountId.make("4711")
export const amount: Amount = Amount.make("10.50")
export const currency: Currency = Currency.make("EUR")

export const texts: ReadonlyArray<string> = [id, requestId, accountId, amount, currency]

// @ts-expect-error: raw text
export const rawId: TransactionId = "100001"

// @ts-expect-error: raw text
export const rawRequestId: RequestId = "order-1"

// @ts-expect-error: raw text
export const rawAccountId: AccountId = "4711"

// @ts-expect-error: raw text
export const rawAmount: Amount = "10.50"

// @ts-expect-error: raw text
export const rawCurrency: Currency = "EUR"

/** One id is chosen by the merchant, one assigned by the service, and one is an account. */
expectTypeOf<RequestId>().not.toExtend<TransactionId | AccountId>()
expectTypeOf<TransactionId>().not.toExtend<RequestId | AccountId>()
expectTypeOf<AccountId>().not.toExtend<RequestId | TransactionId>()
expectTypeOf<Amount>().not.toExtend<Currency>()
