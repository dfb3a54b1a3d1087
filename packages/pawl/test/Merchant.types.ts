/** The twin in the testkit has all services of a merchant, so a program runs over either. */
import type * as Twin from "@pawl/testkit/Merchant"
import type { Journal } from "@pawl/webhook/Journal"
import type * as Layer from "effect/Layer"
import type * as Merchant from "../src/Merchant.ts"

type Has<All, One> = [One] extends [All] ? true : false

export const isTwin: Has<Layer.Success<ReturnType<typeof Twin.layer>>, Merchant.Services> = true
export const hasAlarms: Has<Merchant.Services, Journal> = true
