import { expect, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { ofFlags, ofKubernetes } from "../deploy.ts"
import * as Repository from "../repository.ts"

const read = (name: string) => Repository.read(`deploy/${name}`)
const manifests = read("kubernetes.yaml")

it("reports a wrong value and an unknown field of a manifest", async () => {
  const wrong = manifests
    .replace("periodSeconds: 10", "periodSeconds: often")
    .replace("minAvailable:", "minAvailible:")
  expect(await ofKubernetes(wrong)).toEqual([
    expect.stringMatching(/Deployment .*livenessProbe\/periodSeconds/u),
    expect.stringMatching(/minAvailible\W+does not exist/u)
  ])
})

it("reports a flag that the receiver does not have, also if it begins like another", async () => {
  const texts = ['CMD ["--host", "0.0.0.0", "--admin", "4021"]', "    args: [--stor, memory]"]
  expect(await ofFlags(texts)).toEqual([
    "the receiver has no flag --admin",
    "the receiver has no flag --stor"
  ])
})

it("every deployment gives the process 20 seconds to end, and no right to write its root file system", () => {
  const [deployment] = parseAllDocuments(manifests).map((each) => each.toJS())
  const { containers, initContainers, ...pod } = deployment.spec.template.spec
  // Until the Service has left it out, a pod that is told to stop takes callbacks.
  expect(containers[0].lifecycle.preStop.exec.command).toEqual(["sleep", "5"])
  expect(pod).toMatchObject({
    terminationGracePeriodSeconds: 25,
    securityContext: { runAsNonRoot: true }
  })
  for (const { securityContext } of [...containers, ...initContainers]) {
    expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true })
  }
  const { services } = parse(read("compose.yaml"), { merge: true })
  expect(services.receiver).toMatchObject({ stop_grace_period: "20s", read_only: true })
  expect(services.migrate).toMatchObject({ command: ["migrate"], read_only: true })
  expect(read("pawl-receiver.service")).toMatch(/^TimeoutStopSec=20$[^]*^ProtectSystem=strict$/mu)
  expect(read("Dockerfile")).toMatch(/^USER node$/mu)
})

it("the unit starts after the clock is set, by which the age of a payment counts", () => {
  expect(read("pawl-receiver.service")).toMatch(/^After=.*\btime-sync\.target$/mu)
})

it("a receiver whose store is unavailable gets no callbacks, and is not restarted", () => {
  const [deployment] = parseAllDocuments(manifests).map((each) => each.toJS())
  const [receiver] = deployment.spec.template.spec.containers
  expect(receiver.readinessProbe.httpGet.path).toBe("/readyz")
  expect(receiver.livenessProbe.httpGet.path).toBe("/healthz")
  expect(read("Dockerfile")).toMatch(/^HEALTHCHECK[^]*\/healthz'/mu)
})
