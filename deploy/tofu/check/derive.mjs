// Derives the schemas of the resources that ../aws and ../google use from the packages
// @cdktf/provider-aws and @cdktf/provider-google, which were generated from the providers' own schemas:
//
//   npm pack @cdktf/provider-aws@21.22.1 @cdktf/provider-google@16.12.1     unpack each
//   node derive.mjs AWS-FOLDER aws > schemas/aws.json
//   node derive.mjs GOOGLE-FOLDER google > schemas/google.json
//
// The packages do not say which optional attributes the provider computes, so all of them count as computed.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";

const [folder, provider] = process.argv.slice(2);
const root = new URL("..", import.meta.url).pathname;

/** The types of resources or data sources in the configuration. */
function used(kind) {
  const text = execFileSync("grep", ["-rhE", `^${kind} "`, join(root, provider)], { encoding: "utf8" });
  return [...new Set([...text.matchAll(/^\w+ "(\w+)"/gm)].map((m) => m[1]))].sort();
}

const camel = (name) => name.replace(/_([a-z0-9])/g, (_, c) => c.toUpperCase());

const SIMPLE = { string: "string", boolean: "bool", number: "number" };

class Package {
  constructor(path) {
    this.js = readdirSync(path).filter((f) => f.endsWith(".js")).map((f) => readFileSync(join(path, f), "utf8")).join("\n");
    this.dts = readdirSync(path).filter((f) => f.endsWith(".d.ts")).map((f) => readFileSync(join(path, f), "utf8")).join("\n");
  }

  section(start) {
    const from = this.js.indexOf(start);
    if (from < 0) return "";
    const rest = this.js.slice(from + start.length);
    const to = rest.search(/\n(class |function |exports\.|})/);
    return to < 0 ? rest : rest.slice(0, to);
  }

  /** The required members of an interface. */
  required(name) {
    const match = this.dts.match(new RegExp(`export interface ${name}(?: extends [^{]*)? \\{([\\s\\S]*?)\\n\\}`));
    return new Set(match ? [...match[1].matchAll(/readonly (\w+): /g)].map((m) => m[1]) : []);
  }

  /** A block: what can be set (text), what it is called in types, and the class with what is computed. */
  block(text, type, reference) {
    const required = this.required(type);
    const attributes = {};
    const blocks = {};
    const entries = text.matchAll(
      /^ +"?(\w+)"?: \{\n +value: (.*),\n +isBlock: (true|false),\n +type: "(\w+)",\n +storageClassType: "([^"]+)"/gm);
    for (const [, name, value, isBlock, kind, storage] of entries) {
      const must = required.has(camel(name));
      const nested = storage.replace(/List$|Map$|Set$/, "");
      const one = nested.match(/^(string|boolean|number)/);
      if (one && isBlock === "false") {
        const simple = SIMPLE[one[1]];
        const collection = kind === "simple" ? simple : [kind, simple];
        attributes[name] = { type: collection, ...(must ? { required: true } : { optional: true, computed: true }) };
        continue;
      }
      const fn = value.match(/(\w+)ToHclTerraform/);
      const inner = this.block(this.section(`function ${fn[1]}ToHclTerraform(`), nested, `${nested}OutputReference`);
      const repeated = value.includes("MapperHcl");
      const nesting = kind === "struct" ? "single" : kind;
      blocks[name] = {
        nesting_mode: nesting,
        block: inner,
        ...(nesting === "single" ? {} : { ...(must ? { min_items: 1 } : {}), ...(repeated ? {} : { max_items: 1 }) }),
      };
    }
    const own = this.section(`class ${reference} extends `);
    for (const [, kind, name] of own.matchAll(/this\.get(String|Number|Boolean|List|StringMap|NumberList)Attribute\('(\w+)'\)/g)) {
      if (!(name in attributes)) {
        const computed = { String: "string", Number: "number", Boolean: "bool", List: ["list", "string"], StringMap: ["map", "string"], NumberList: ["list", "number"] };
        attributes[name] = { type: computed[kind], computed: true };
      }
    }
    for (const [, name] of own.matchAll(/\/\/ (\w+) - computed: true, optional: false, required: false/g)) {
      if (!(name in attributes) && !(name in blocks)) {
        attributes[name] = { type: name.endsWith("labels") || name === "tags_all" ? ["map", "string"] : "dynamic", computed: true };
      }
    }
    return { attributes, block_types: blocks };
  }
}

function schema(type, kind) {
  const own = (kind === "data" ? "data-" : "") + type.replace(new RegExp(`^${provider}_`), kind === "data" ? `${provider}_` : "");
  const path = join(folder, "lib", type === "provider" ? "provider" : own.replaceAll("_", "-"));
  const pack = new Package(path);
  const name = pack.js.match(/^class (\w+) extends cdktf\.Terraform(?:Resource|DataSource|Provider)/m)[1];
  const main = pack.section(`class ${name} extends `);
  const set = main.slice(main.indexOf("synthesizeHclAttributes()"));
  return { version: 0, block: pack.block(set, `${name}Config`, name) };
}

const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const result = {
  origin: `${about.name} ${about.version}, of ${about.cdktf.provider.name} ${about.cdktf.provider.version}`,
  provider: schema("provider", "resource"),
  resource_schemas: Object.fromEntries(used("resource").map((t) => [t, schema(t, "resource")])),
  data_source_schemas: Object.fromEntries(used("data").map((t) => [t, schema(t, "data")])),
};
console.log(JSON.stringify(result, null, 1));
