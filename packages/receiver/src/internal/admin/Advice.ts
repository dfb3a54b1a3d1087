/** The next step after each alarm, in the words of the guide to production. */

/** The next steps, by the beginning of the alarm. */
export const nextSteps: Readonly<Record<string, string>> = {
  "callbacks are refused with 401": "check the secret; if it is right, the callbacks are forged",
  "a genuine callback is refused":
    "correct the accounts, the URLs or the content type (a proxy?) within 62 minutes; if all are right, it is a replay",
  "callbacks with a checksum are refused before it can be verified":
    "see the reason in the log within 62 minutes: the service or a proxy changed the callbacks, or they are forged",
  "callbacks are answered with 503: the ledger cannot be written":
    "check disk, locks and PostgreSQL; the log has the cause; the service repeats the callbacks, so nothing is lost",
  "a port has too many connections: those without a request are closed":
    "find out who opens them; limit connections per address in front of the receiver, or raise its file descriptor limit",
  "the worker makes no progress":
    "correct the cause: the disk, a lock, a trigger or the rights of the role; callbacks are stored meanwhile",
  "a transaction cannot be written":
    "GET /overview names it with the cause; its work continues once the cause is gone",
  "no requests are sent":
    "correct the cause; enqueued requests wait, and their requestIds make a retry safe",
  "more work falls due than is done":
    "remove the bottleneck: the application, the service, the slots, the read budget or the store",
  "old texts cannot be deleted": "correct the cause: texts are kept past their retention",
  "the service refuses the merchant key or the merchant secret":
    "compare both with the operator's; callbacks are stored meanwhile, and confirmed later",
  "callbacks still use the previous merchant secret after others used the current one":
    "ask the operator to use the current secret everywhere; keep PAWL_MERCHANT_SECRET_PREVIOUS until then",
  "a dead letter": "act on its reason",
  "more than 16 callbacks of a transaction cannot be acted on: only the first 15 and the last one are kept":
    "read them: somebody may be replaying a captured callback with other fields",
  "the callback bodies of a transaction exceed 256 KiB: large ones are not kept, but their statuses are":
    "read them: somebody may be replaying a captured callback with other fields",
  "the store has reached four fifths of its limit":
    "raise the limit, shorten the retention, or find out who sends so much",
  "the store has reached its limit: no more callback bodies are kept, and new transactions are answered with 503":
    "raise the limit within 62 minutes, or find out who sends so much; known transactions continue",
  "a callback in quarantine":
    "read it; the service sends something undocumented, or the stored transaction is damaged: restore it from a backup",
  "a clock jumped by more than 5 seconds":
    "find out why; after a jump back, waiting rows become due that much earlier",
  "no worker ran for more than 62 minutes, so callbacks may be lost: planned reads are brought forward":
    "find out why; see after an outage",
  "the clocks of this machine and of the database differ by more than 5 seconds":
    "synchronise them; work continues with the database's clock",
  "several final statuses conflict": "have a person decide",
  "a callback claims a final status that the service contradicts":
    "it is forged, or the service is late; the handler was not called; ask the operator",
  "the service went back to an earlier status":
    "possibly a chargeback that you won; the handler is not called; correct your books by hand",
  "the service answered with an undocumented status": "ask the operator for its meaning"
}

export const nextStepFor = (reason: string): string | null =>
  Object.entries(nextSteps).find(([beginning]) => reason.startsWith(beginning))?.[1] ?? null
