/**
 * The site: the pages of the repository at the paths that they have there, and the API reference that `pnpm reference` writes.
 */
import { slug } from "github-slugger"
import { defineConfig } from "vitepress"
import { hrefOf, others, pathOf, writeSources } from "../links.ts"
import { sidebars } from "../sidebars.ts"

/**
 * Returns the search box of the theme as a dialog whose options are its links. In the theme it is a button, which has its whole
 * text as its name, and each option holds a link.
 */
const accessible = (box: string): string =>
  box
    .replace(
      /role="button"([^]*?)aria-expanded="true"\s+aria-haspopup="listbox"/u,
      'role="dialog"$1'
    )
    .replace(
      /(:id="[^"]*"\s+:aria-selected="[^"]*"\s+role="option")([^]*?<a)\b/u,
      'role="none"$2 $1'
    )
    .replaceAll(/(<kbd|\n) *:aria-label="(?:translate|\[)[^"]*"/gu, "$1")

export default defineConfig({
  title: "pawl",
  description:
    "Documentation of pawl: money through the payments service, from TypeScript and JavaScript",
  lang: "en",
  srcDir: "..",
  outDir: "dist",
  cacheDir: "node_modules/.cache",
  srcExclude: [...others],
  rewrites: pathOf,
  head: [
    // The browser of a reader sends no request to another host, and none for an icon.
    [
      "meta",
      {
        "http-equiv": "Content-Security-Policy",
        content: "default-src 'self' 'unsafe-inline' data:"
      }
    ],
    ["link", { rel: "icon", href: "data:," }]
  ],
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    // The anchors are those of GitHub, for which the links are written.
    anchor: { slugify: slug },
    config: (md) => {
      md.core.ruler.push("links", ({ env, tokens }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === "link_open" ? token.attrGet("href") : null
          if (href !== null) token.attrSet("href", hrefOf(env.realPath ?? env.path, href))
        }
      })
    }
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    notFound: {
      title: "There is no such page",
      quote: "The page may have moved. The search finds every page.",
      linkLabel: "Go to the first page",
      linkText: "Go to the first page"
    },
    nav: [
      { text: "Documentation", link: "/docs/" },
      { text: "API", link: "/docs/api/" },
      { text: "Decisions", link: "/docs/decisions/" }
    ],
    sidebar: sidebars
  },
  vite: {
    plugins: [
      {
        // The pages lie outside this folder, which has Vue.
        name: "vue-of-this-folder",
        enforce: "pre",
        resolveId(source, importer) {
          const isOutside = importer?.startsWith(import.meta.dirname) === false
          return isOutside && /^vue(?:\/|$)/u.test(source)
            ? this.resolve(source, import.meta.filename, { skipSelf: true })
            : undefined
        }
      },
      {
        name: "accessible-search",
        enforce: "pre",
        transform: (code, id) =>
          id.endsWith("/VPLocalSearchBox.vue") ? accessible(code) : undefined
      }
    ]
  },
  buildEnd: ({ outDir }) => writeSources(outDir)
})
