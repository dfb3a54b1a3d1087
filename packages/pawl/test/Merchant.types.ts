/** The twin in the testkit has all services of a merchant, so a program runs over either. */
import { Refunds } from "@pawl/http/Refunds"
import * as Twin from "@pawl/testkit/Merchant"
import type { Journal } from "@pawl/webhook/Journal"
import { Requests } from "@pawl/webhook/Requests"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Merchant from "../src/Merchant.ts"

type Has<All, One> = [One] extends [All] ? true : false

export const isTwin: Has<Layer.Success<ReturnType<typeof Twin.layer>>, Merchant.Services> = true
export const hasAlarms: Has<Merchant.Services, Journal> = true

class Shop extends Context.Service<Shop, { readonly close: Effect.Effect<void> }>()("Shop") {}

const handle = () => Effect.all([Refunds, Requests, Shop])
export const merchant = Merchant.layerConfig(Merchant.config, { handle })
export const twin = Twin.layer({ handle })

type IsSame<A, B> = [A, B] extends [B, A] ? true : false

/** A handler may use the services of its merchant. Its others are requirements. */
export const needs: IsSame<Layer.Services<typeof merchant>, Shop> = true
export const twinNeeds: IsSame<Layer.Services<typeof twin>, Shop> = true
