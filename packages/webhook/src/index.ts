/**
 * The modules of `@pawl/webhook` that run without Node: the receiver of callbacks.
 *
 * @since 0.1.0
 */
export * as CallbackUrl from "./CallbackUrl.ts"
export * as Journal from "./Journal.ts"
export * as Ledger from "./Ledger.ts"
export * as LedgerSql from "./LedgerSql.ts"
export * as Metrics from "./Metrics.ts"
export * as Receiver from "./Receiver.ts"
export * as Requests from "./Requests.ts"
export * as Seal from "./Seal.ts"
export * as VerifyCallback from "./VerifyCallback.ts"
export * as Verifier from "./Verifier.ts"
export * as WebReceiver from "./WebReceiver.ts"
