import Slugger from "github-slugger"
import { expect, it } from "vitest"
import { read } from "../repository.ts"
import { parts } from "../size.ts"

const faq = read("docs/faq.md")

const questions = [
  "How do I refund a part of a payment?",
  "What happens if my handler throws?",
  "What do I do with OutcomeUnknown?",
  "Can I run two servers?",
  "How do I rotate the merchant secret?",
  "How do I test a chargeback?",
  "What must my database role be allowed?",
  "How do I upgrade?",
  "Where does card data go?",
  "How large is it, and what does a callback cost?",
  "How do I see why an order is open?",
  "How do I move from my own webhook code?",
  "Does it run on serverless platforms?",
  "What if the service sends a status that pawl does not know?",
  "How do I stop it cleanly?",
  "How do I find a payment by my order's number?",
  "Can I authorise and capture?",
  "Where do metrics, traces and the log go?",
  "Why are amounts text, and what does JPY do?"
]

it("the README leads to the questions before its first example", () => {
  const [opening = ""] = read("README.md").split("```")
  expect(opening).toContain("](docs/faq.md)")
})

it("the page begins with a link to each question", () => {
  const [opening = ""] = faq.split("\n## ")
  const slugger = new Slugger()
  const asked = Array.from(faq.matchAll(/^### (.+)$/gmu), ([, title = ""]) => slugger.slug(title))
  const linked = Array.from(opening.matchAll(/\]\(#([^)]+)\)/gu), ([, slug = ""]) => slug)
  expect(linked).toEqual(asked)
  // No question is asked twice.
  expect(asked.filter((slug) => /-\d+$/u.test(slug))).toEqual([])
})

it.for(questions)("%s is answered in a minute or less", (question) => {
  const [, answer] = faq.split(`\n### ${question}\n`)
  const [text = ""] = (answer ?? "").split("\n#")
  const words = text.split(/\s+/u).filter(Boolean).length
  expect(words).toBeGreaterThan(10)
  // A person reads about 200 words in a minute.
  expect(words).toBeLessThan(120)
})

it("the sizes and the CPU time in the answers are the measured ones", () => {
  const limitOf = (part: string) => parts.find(({ name }) => name === part)?.limit ?? 0
  const kB = (part: string) => `${Math.floor(limitOf(part) / 1000)} kB`
  expect(faq).toContain(`the client takes ${kB("client")} and the receiver ${kB("receiver")}.`)
  // `bench verify --write` writes this row.
  const [, ratio] = /^\| \[verify\].*\| pawl: ([\d.]+) /mu.exec(read("docs/performance.md")) ?? []
  const rounded = Number(ratio).toFixed(2)
  expect(faq).toContain(`takes ${rounded} of the CPU time of hand-written checks`)
})

it("the sizes of the page on performance are those that `check size` limits", () => {
  const [, row = ""] = /^\| \[size\][^|]*\| (.+) \|$/mu.exec(read("docs/performance.md")) ?? []
  const bytes = new Map(row.split("; ").map((figure) => figure.split(": ") as [string, string]))
  for (const { limit, name } of parts)
    expect(parseFloat(bytes.get(name) ?? "") / limit).toBeCloseTo(1, 1)
})
