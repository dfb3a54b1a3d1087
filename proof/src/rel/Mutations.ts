/**
 * Changed callbacks: other values or spellings of the signed fields, or another checksum header.
 */
import { signedNames } from "@pawl/core/internal/SignedFields"
import type { Method } from "@pawl/core/Kind"
import { createHmac } from "node:crypto"
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
  // The joined text stays the same, with other borders between the fields.
  ([account, amount, ...rest]) => [`${account}|${amount}`, ...rest, ""],
  ([account, amount, currency, id]) => [account, `${amount}|${currency}`, "", id],
  ([account, amount, currency, id]) => [
    account + amount.slice(0, 1),
    amount.slice(1),
    currency,
    id
  ],
  ([account, amount, currency, id]) => [account, amount, currency + id.slice(0, 1), id.slice(1)],
  ([account, amount, currency, id]) => [account, currency, amount, id],
  ([account, amount, currency, id]) => [id === account ? `${id}0` : id, amount, currency, account],
  ([account, amount, currency, id]) => [account, `${amount}0`, currency, id],
  ([account, , currency, id], random) => [
    account,
    `${1_000_000 + random.below(1e6)}.00`,
    currency,
    id
  ]
]

type Members = (members: ReadonlyArray<Member>, random: SeededRandom) => ReadonlyArray<Member>

const memberChanges: ReadonlyArray<Members> = [
  (members, random) => change(members, random, (value) => `[${value}]`),
  (members, random) => change(members, random, (value) => `{"0":${value}}`),
  (members, random) =>
    change(members, random, () => random.pick(["null", "true", "{}", "[]", '""'])),
  (members, random) => change(members, random, (value) => `${value.slice(0, -1)}\\u0000"`),
  (members, random) => change(members, random, (value) => `${value.slice(0, -1)}\\ud800"`),
  (members, random) =>
    change(members, random, () => `${1 + random.below(1e6)}e${random.below(400)}`),
  (members, random) => members.toSpliced(random.below(4), 1),
  (members, random) => [...members, [random.pick(members)[0], '"another"']],
  (members, random) => [[random.pick(members)[0], '"another"'], ...members],
  (members, random) => rename(members, random, (name) => name.toUpperCase()),
  (members, random) => rename(members, random, (name) => `${name} `),
  (members, random) => rename(members, random, () => "__proto__")
]

const change = (
  members: ReadonlyArray<Member>,
  random: SeededRandom,
  write: (value: string) => string
): ReadonlyArray<Member> => {
  const at = random.below(members.length)
  return members.map(([name, value], index) => [name, index === at ? write(value) : value])
}

const rename = (
  members: ReadonlyArray<Member>,
  random: SeededRandom,
  write: (name: string) => string
): ReadonlyArray<Member> => {
  const at = random.below(members.length)
  return members.map(([name, value], index) => [index === at ? write(name) : name, value])
}

type Header = (checksum: string, random: SeededRandom, from: Genuine) => string | undefined

const headerChanges: ReadonlyArray<Header> = [
  (checksum, random) => {
    const at = random.below(checksum.length)
    const letter = random.pick(
      Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    )
    return (
      checksum.slice(0, at) +
      (letter === checksum.charAt(at) ? "_" : letter) +
      checksum.slice(at + 1)
    )
  },
  (checksum, random) => checksum.slice(0, random.below(checksum.length)),
  (checksum, random) => changeText(checksum, random),
  (checksum) => checksum.replace(/=+$/u, ""),
  (checksum) => `${checksum}=`,
  (checksum) => `${checksum}, ${checksum}`,
  (checksum) => `sha256=${checksum}`,
  (checksum) => Buffer.from(checksum, "base64").toString("hex"),
  (checksum) => Buffer.from(checksum, "base64").toString("latin1"),
  (checksum) => checksum.toLowerCase(),
  (checksum, random) => checksum + random.pick([" ", "\t", "\u00a0", "\n", "AAAA", "\u0000"]),
  // The last letter has bits without meaning.
  (checksum) => checksum.replace(/.=$/u, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}=`),
  () => undefined,
  () => "",
  (_, random) => random.pick(["A".repeat(44), `${"A".repeat(43)}=`, "x".repeat(10_000)]),
  (_, __, { texts }) => sign(texts, "another-secret"),
  (_, __, { texts }) => sign(texts, `${secret}\n`),
  (_, __, { texts }) => sign(texts, ""),
  (_, __, { texts: [account, amount, currency, id] }) => sign([account, id, amount, currency]),
  (_, __, { texts }) => sign([...texts, "SUCCEED"]),
  (_, __, { texts }) => createHmac("sha256", secret).update(texts.join("")).digest("base64"),
  (_, __, { texts: [account, amount, currency, id] }) => sign([account, amount, currency, `${id}0`])
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
  if (choice === 2)
    return compose(from, random.pick(memberChanges)(membersOf(from), random), checksum)
  const header = random.pick(headerChanges)(checksum, random, from)
  return compose(from, membersOf(from), header === checksum ? `${header}A` : header)
}
