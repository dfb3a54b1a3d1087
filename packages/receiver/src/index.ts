/**
 * The receiver as a process: settings, the operator's API and page, forwarding, and the reports of a transaction.
 *
 * @since 0.1.0
 */
export * as Admin from "./Admin.ts"
export * as CloudEvent from "./CloudEvent.ts"
export * as DayBooks from "./DayBooks.ts"
export * as DayComparison from "./DayComparison.ts"
export * as Forwarder from "./Forwarder.ts"
export * as Merchants from "./Merchants.ts"
export * as MerchantsAdmin from "./MerchantsAdmin.ts"
export * as PageFiles from "./PageFiles.ts"
export * as Replay from "./Replay.ts"
export * as StoryReport from "./StoryReport.ts"
export * as StoryScenario from "./StoryScenario.ts"
