/**
 * The modules of `@pawl/webhook` that run without Node: the receiver of callbacks.
 *
 * @since 0.1.0
 */
export * as Admin from "./Admin.ts"
export * as CallbackUrl from "./CallbackUrl.ts"
export * as Cleaner from "./Cleaner.ts"
export * as Confirmer from "./Confirmer.ts"
export * as Forwarder from "./Forwarder.ts"
export * as Journal from "./Journal.ts"
export * as Ledger from "./Ledger.ts"
export * as LedgerSql from "./LedgerSql.ts"
export * as Metrics from "./Metrics.ts"
export * as Order from "./Order.ts"
export * as Receiver from "./Receiver.ts"
export * as Reconciler from "./Reconciler.ts"
export * as Row from "./Row.ts"
export * as RowRule from "./RowRule.ts"
export * as StoredRow from "./StoredRow.ts"
export * as Teller from "./Teller.ts"
export * as Verification from "./Verification.ts"
export * as Verifier from "./Verifier.ts"
export * as WebReceiver from "./WebReceiver.ts"
export * as Worker from "./Worker.ts"
