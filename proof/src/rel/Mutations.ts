/**
 * Changed callbacks: other values or spellings of the signed fields, or another checksum header.
 */
import { signedNames } from "@pawl/core/internal/SignedFields"
import type { Method } from "@pawl/core/Kind"
import { wrong } from "@pawl/testkit/internal/laws/receiver/ChecksumEncoding"
import type { SeededRandom } from "./SeededRandom.ts"
import { type Callback, searchOf, secret, sign } from "./FakeService.ts"

export interface Genuine {
  readonly method: Method
  readonly texts: readonly [string, string, string, string]
}

export interface Mutated extends Omit<Callback, "checksum"> {
  readonly checksum: string | undefined
  /** Whether HTTP carries the callback unchanged. */
  readonly isPostable: boolean
}

type Member = readonly [string, string]

export const genuine = (random: SeededRandom): Genuine => ({
  method: random.pick(["card", "apm"]),
  texts: [
    random.pick(["4711", "mid-1", "merchant_01"]),
    `${random.below(100_000)}.${random.below(10)}${random.below(10)}`,
    random.pick(["EUR", "USD", "BRL", "JPY"]),
    String(100_001 + random.below(900_000))
  ]
})

const membersOf = ({ method, texts }: Genuine): Array<Member> =>
  texts.map((text, at) => [signedNames[method][at] ?? "", JSON.stringify(text)])

const compose = (
  { method }: Genuine,
  members: ReadonlyArray<Member>,
  checksum: string | undefined
): Mutated => {
  const more: ReadonlyArray<Member> = [["transactionStatus", '"SUCCEED"']]
  const body = [...members, ...more].map(([key, value]) => `${JSON.stringify(key)}:${value}`)
  return {
    search: searchOf(method),
    body: `{${body.join()}}`,
    checksum,
    isPostable: checksum === undefined || /^[!-~](?:[ -~]*[!-~])?$/u.test(checksum)
  }
}

export const unchanged = (from: Genuine): Callback => {
  const { body, search } = compose(from, membersOf(from), undefined)
  return { search, body, checksum: sign(from.texts) }
}

const letters = Array.from("0123456789.-+eE |,\u00a0\u0000\u001f\u200b٣３aZ/=")

const changeText = (text: string, random: SeededRandom): string => {
  const index = random.below(text.length + 1)
  const letter = random.pick(letters)
  const changed = random.pick([
    text.slice(0, index) + letter + text.slice(index),
    text.slice(0, index) + letter + text.slice(index + 1),
    text.slice(0, index) + text.slice(index + 1),
    text.slice(0, index) + text.charAt(index) + text.slice(index),
    text.toLowerCase(),
    `0${text}`,
    `${text}0`,
    ` ${text}`
  ])
  return changed === text ? `${text}0` : changed
}

type Fields = (texts: Genuine["texts"], random: SeededRandom) => ReadonlyArray<string>

const textChanges: ReadonlyArray<Fields> = [
  (texts, random) => {
    const at = random.below(4)
    return texts.map((text, index) => (index === at ? changeText(text, random) : text))
  },
  (texts, random) => texts.with(1, `${1_000_000 + random.below(1e6)}.00`),
  // The joined text stays the same, with other borders between the fields.
  ([account, amount, ...rest]) => [`${account}|${amount}`, ...rest, ""],
  ([account, amount, currency, id]) => [account, `${amount}|${currency}`, "", id],
  ([account, amount, ...rest]) => [account + amount.slice(0, 1), amount.slice(1), ...rest],
  ([account, amount, currency, id]) => [account, amount, currency + id.slice(0, 1), id.slice(1)],
  ([account, amount, currency, id]) => [account, currency, amount, id],
  ([account, amount, currency, id]) => [id, amount, currency, account]
]

type OfMember = (member: Member, random: SeededRandom) => Member
type OfMembers = (members: ReadonlyArray<Member>, random: SeededRandom) => ReadonlyArray<Member>

const ofMember: ReadonlyArray<OfMember> = [
  ([name, value]) => [name, `[${value}]`],
  ([name, value]) => [name, `{"0":${value}}`],
  ([name], random) => [name, random.pick(["null", "true", "{}", "[]", '""'])],
  ([name, value]) => [name, `${value.slice(0, -1)}\\u0000"`],
  ([name, value]) => [name, `${value.slice(0, -1)}\\ud800"`],
  ([name], random) => [name, `${1 + random.below(1e6)}e${random.below(400)}`],
  ([name, value]) => [name.toUpperCase(), value],
  ([name, value]) => [`${name} `, value],
  ([, value]) => ["__proto__", value]
]

const ofMembers: ReadonlyArray<OfMembers> = [
  ...ofMember.map((change): OfMembers => (members, random) => {
    const at = random.below(members.length)
    return members.map((member, index) => (index === at ? change(member, random) : member))
  }),
  (members, random) => members.toSpliced(random.below(4), 1),
  (members, random) => [...members, [random.pick(members)[0], '"another"']],
  (members, random) => [[random.pick(members)[0], '"another"'], ...members]
]

type Header = (checksum: string, random: SeededRandom, from: Genuine) => string | undefined

const headerChanges: ReadonlyArray<Header> = [
  ...wrong.map(({ write }) => write),
  changeText,
  (_, __, { texts }) => sign(texts, "another-secret"),
  (_, __, { texts }) => sign(texts, `${secret}\n`),
  (_, __, { texts }) => sign(texts, ""),
  (_, __, { texts: [account, amount, currency, id] }) => sign([account, id, amount, currency]),
  (_, __, { texts }) => sign([...texts, "SUCCEED"]),
  (_, __, { texts }) => sign([texts.join("")])
]

export const mutate = (from: Genuine, random: SeededRandom): Mutated => {
  const checksum = sign(from.texts)
  const choice = random.below(5)
  if (choice < 2) {
    const texts = random.pick(textChanges)(from.texts, random)
    const members = membersOf(from).map(([name], at): Member => [
      name,
      JSON.stringify(texts[at] ?? "")
    ])
    return compose(from, members, checksum)
  }
  if (choice === 2) return compose(from, random.pick(ofMembers)(membersOf(from), random), checksum)
  const header = random.pick(headerChanges)(checksum, random, from)
  return compose(from, membersOf(from), header === checksum ? `${header}A` : header)
}
