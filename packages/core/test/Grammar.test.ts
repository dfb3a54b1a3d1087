import * as Grammar from "@pawl/core/internal/Grammar"
import { expect, it } from "vitest"

const twoDigits = (number: number) => String(number).padStart(2, "0")

it("a date is on the calendar if a Date of its day, month and year has the same text", () => {
  for (const year of [1600, 1900, 2000, 2023, 2024, 2100]) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const text = `${year}-${twoDigits(month)}-${twoDigits(day)}`
        const isDay = new Date(Date.UTC(year, month - 1, day)).toISOString().startsWith(text)
        expect([text, Grammar.isOnCalendar(text)]).toEqual([text, isDay])
        expect([text, Grammar.isOnCalendar(`${text}T23:59:59Z`)]).toEqual([text, isDay])
      }
    }
  }
  for (const text of ["2026-02-01T24:30Z", "2026-02-01T10:61Z"]) {
    expect([text, Grammar.isOnCalendar(text)]).toEqual([text, false])
  }
})

const { country, currency, date, dateOrTime } = Grammar
const grammars: Readonly<Record<string, RegExp>> = { country, currency, date, dateOrTime }

const texts: ReadonlyArray<
  readonly [name: string, inside: ReadonlyArray<string>, outside: ReadonlyArray<string>]
> = [
  ["currency", ["EUR", "XXX"], ["", "EU", "EURO", "eur", " EUR", "EUR ", "EUR\n"]],
  ["country", ["DE"], ["", "D", "DEU", "de", " DE", "DE ", "DE\n"]],
  [
    "date",
    ["2026-11-22"],
    [
      "02026-11-22",
      "226-11-22",
      "2026-1-22",
      "2026-011-22",
      "2026-11-2",
      "2026-11-022",
      "2026-11-22T"
    ]
  ],
  [
    "dateOrTime",
    [
      "2026-11-22",
      "2026-11-22T10:20",
      "2026-11-22T10:20Z",
      "2026-11-22T10:20+01:00",
      "2026-11-22T10:20:30",
      "2026-11-22T10:20:30.5",
      "2026-11-22T10:20:30.123456-09:30"
    ],
    [
      "02026-11-22",
      "x2026-11-22",
      "2026-011-22",
      "2026-11-022",
      "2026-11-22T",
      "2026-11-22x",
      "2026-11-22T010:20",
      "2026-11-22T10:020",
      "2026-11-22T10:20:030",
      "2026-11-22T10:20:30.",
      "2026-11-22T10",
      "2026-11-22T10:20+1:00",
      "2026-11-22T10:20+001:00",
      "2026-11-22T10:20+01:000"
    ]
  ]
]

it.each(texts)("the grammar of %s has whole texts only", (name, inside, outside) => {
  const grammar = grammars[name] ?? /^$/u
  const isIn = (text: string) => grammar.test(text)
  expect(inside.filter((text) => !isIn(text))).toEqual([])
  expect(outside.filter(isIn)).toEqual([])
})
