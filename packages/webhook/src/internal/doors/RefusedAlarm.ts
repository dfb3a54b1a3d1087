import * as Context from "effect/Context"

export const RefusedAlarm: Context.Reference<string> = /* @__PURE__ */ Context.Reference(
  "@pawl/webhook/internal/doors/RefusedAlarm",
  {
    defaultValue: () =>
      "callbacks are refused with 401: they are forged, or the merchant secret is wrong and must be corrected within 62 minutes"
  }
)
