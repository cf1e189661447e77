import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createEngine,
  type FuncMap,
  sprigConversions,
  sprigDefaults,
  sprigDicts,
  sprigHash,
  sprigLists,
  sprigStrings,
} from '@promptctl/go-template-js';
import Ajv from 'ajv';
import { parse, parseAllDocuments, stringify } from 'yaml';

/** One Kubernetes object that the chart makes. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // Its schema checks the rest; tests read it freely.
  readonly [member: string]: unknown;
}

export type Values = Readonly<Record<string, unknown>>;

export const chartDirectory = join(__dirname, '../../deploy/helm');
const templates = join(chartDirectory, 'templates');

/** The values that have no default. */
export const requiredValues: Values = {
  image: { repository: 'registry.example.org/sealwright' },
  applicationUrl: 'https://credentials.example.org',
  secret: { name: 'sealwright' },
};

/** Kubernetes reads YAML 1.1, where 0440 is an octal number and `on` a boolean. */
export function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text, { version: '1.1' })
    .map((document) => {
      if (document.errors[0]) throw document.errors[0];
      return document.toJS() as Manifest | null;
    })
    .filter((one) => one !== null);
}

/** What `helm template <release>` renders, with the values checked against the schema first. Throws where Helm would fail. */
export function renderChart(values: Values, release = 'sealwright'): Manifest[] {
  return [...renderFiles(values, release)]
    .filter(([file]) => file.endsWith('.yaml'))
    .flatMap(([, text]) => readManifests(text));
}

/** The rendered text of each file in templates, by file name. */
export function renderFiles(given: Values, release: string): Map<string, string> {
  const values = merge(parse(read('values.yaml')) as Values, given);
  refuseInvalid(values);
  const chart = parse(read('Chart.yaml')) as Record<string, unknown>;
  const scope = {
    Values: values,
    Release: { Name: release, Namespace: 'default', Service: 'Helm' },
    Chart: { Name: chart['name'], Version: chart['version'], AppVersion: chart['appVersion'] },
  };
  const files = readdirSync(templates);
  const engine = createEngine<string>({ fromString: (text) => text, missingKey: 'error', funcs: functions() });
  const names = files.filter((file) => file.endsWith('.tpl')).map((file) => read('templates', file));
  const defines = engine.parse(names.join('\n')).defines();
  const run = (source: string, data: unknown): string => engine.parse(source, defines).evaluate(data).join('');

  function functions(): FuncMap {
    return {
      ...sprigConversions(),
      ...sprigDefaults(),
      ...sprigDicts(),
      ...sprigHash(),
      ...sprigLists(),
      ...sprigStrings(),
      // Helm's own, and where Helm is less strict about types than the engine.
      quote: { fn: (value: unknown) => JSON.stringify(String(value)), argTypes: ['value'] },
      include: {
        fn: (name: string, data: unknown) => run(`{{ template "${name}" . }}`, data),
        argTypes: ['string', 'value'],
      },
      toYaml: { fn: (value: unknown) => stringify(value, { version: '1.1' }).trimEnd(), argTypes: ['value'] },
      fileContent: { fn: (path: string) => read(path), argTypes: ['string'] },
    };
  }

  return new Map(
    files
      .filter((file) => !file.endsWith('.tpl'))
      // The engine has functions only, no methods.
      .map((file) => [file, run(read('templates', file).replaceAll('.Files.Get ', 'fileContent '), scope)]),
  );
}

function read(...path: string[]): string {
  return readFileSync(join(chartDirectory, ...path), 'utf8');
}

/** As Helm does it: objects are merged, everything else replaces the default. */
function merge(defaults: Values, given: Values): Values {
  const merged: Record<string, unknown> = { ...defaults };
  for (const [name, value] of Object.entries(given)) {
    const known = defaults[name];
    merged[name] = isObject(known) && isObject(value) ? merge(known, value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const ajv = new Ajv({
  strict: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
});

function refuseInvalid(values: Values): void {
  const schema = JSON.parse(read('values.schema.json')) as object;
  if (!ajv.validate(schema, values)) throw new Error(ajv.errorsText(ajv.errors, { dataVar: 'values' }));
}
