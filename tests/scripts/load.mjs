// The site's scripts without a browser: each is run in a context of its own, which has `window` and the page's language.
import { readFileSync } from "node:fs";
import process from "node:process";
import vm from "node:vm";

const STATIC = new URL("../../d2lbook/static/", import.meta.url);

const LANGUAGES = JSON.parse(process.env.D2L_LANGUAGES ?? "{}");

export function load(names, lang = "en", own = {}) {
  const context = vm.createContext({ document: { documentElement: { lang, dataset: {} } }, URL, Intl, d2lLanguage: LANGUAGES[lang], ...own });
  context.window = context;
  for (const name of names) vm.runInContext(readFileSync(new URL(name, STATIC), "utf8"), context, { filename: name });
  return context;
}
