import { anyName, describeSettings, effectiveSettings, type SettingDescription, Settings } from '@app/config';
import { closed, component, eg, integer, resource, type Schema, text, texts } from '@app/http';

const kinds: Readonly<Record<SettingDescription['kind'], Schema>> = {
  text,
  number: integer,
  boolean: { type: 'boolean' },
  list: texts,
};

const example = effectiveSettings(Object.assign(new Settings(), { applicationUrl: 'https://issuer.example' }));
const schema = component('Configuration', eg(example, tree(describeSettings(Settings))));

export const configuration = resource(
  { path: 'v0/configuration', area: 'configuration', tag: 'Operation', description: 'The service itself.' },
  {
    show: {
      id: 'showConfiguration',
      route: 'GET',
      summary: 'Get the effective settings',
      description:
        'With defaults filled in. Secrets are shown as `(redacted)`, also those inside addresses; null stands for what is not set.',
      conditional: true,
      answers: { 200: { description: 'All settings.', schema } },
    },
  },
);

/** The settings as a tree of closed objects, one for each section; of what operators name, by whatever names. */
function tree(descriptions: readonly SettingDescription[], depth = 0): Schema {
  const names = new Set(descriptions.map(({ path }) => path[depth] ?? ''));
  if (names.has(anyName)) return { type: 'object', additionalProperties: tree(descriptions, depth + 1) };
  const sections = [...names].map((name): [string, Schema] => {
    const below = descriptions.filter(({ path }) => path[depth] === name);
    const own = below.find(({ path }) => path.length === depth + 1);
    // There may be none, and not all have everything.
    const isOptional = below.every(({ path }) => path.slice(0, depth + 2).includes(anyName));
    return [isOptional ? `${name}?` : name, own ? leaf(own) : tree(below, depth + 1)];
  });
  return closed(Object.fromEntries(sections));
}

function leaf({ name, description, kind, initial }: SettingDescription): Schema {
  const { type, ...rest } = kinds[kind];
  return { type: initial === undefined ? [type, 'null'] : type, ...rest, description: `\`${name}\`: ${description}` };
}
