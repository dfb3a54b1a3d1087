/** `PAWL_FULL=1` repeats a test as often as its name says; otherwise the suite repeats it less. */

export const repetitions = (counts: { readonly usual: number; readonly full: number }): number =>
  process.env["PAWL_FULL"] === "1" ? counts.full : counts.usual
