import { isOnCalendar } from "@pawl/core/Grammar"
import { expect, it } from "vitest"

const twoDigits = (number: number) => String(number).padStart(2, "0")

it("a date is on the calendar if a Date of its day, month and year has the same text", () => {
  for (const year of [1900, 2000, 2023, 2024, 2100]) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const text = `${year}-${twoDigits(month)}-${twoDigits(day)}`
        const isDay = new Date(Date.UTC(year, month - 1, day)).toISOString().startsWith(text)
        expect([text, isOnCalendar(text)]).toEqual([text, isDay])
        expect([text, isOnCalendar(`${text}T23:59:59Z`)]).toEqual([text, isDay])
      }
    }
  }
  for (const text of ["2026-02-01T24:30Z", "2026-02-01T10:61Z"]) {
    expect([text, isOnCalendar(text)]).toEqual([text, false])
  }
})
