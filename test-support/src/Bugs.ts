export type PlantedBug<Planted> = readonly [bug: string, beginning: string, plant: Planted]

/** Lists the bugs of each law, which is given by the beginning of its name. */
export const bugsOf = <Planted>(
  laws: Readonly<Record<string, Readonly<Record<string, Planted>>>>
): ReadonlyArray<PlantedBug<Planted>> =>
  Object.entries(laws).flatMap(([law, bugs]) =>
    Object.entries(bugs).map(([bug, plant]) => [bug, law, plant] as const)
  )
