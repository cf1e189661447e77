import { describeSettings, effectiveSettings, type SettingDescription, Settings } from '@app/config';
import { closedObject, type ControllerDescription, reference, type Schema } from '@app/openapi';

const kinds: Readonly<Record<SettingDescription['kind'], Schema>> = {
  text: { type: 'string' },
  number: { type: 'integer' },
  boolean: { type: 'boolean' },
  list: { type: 'array', items: { type: 'string' } },
};

const example = effectiveSettings(Object.assign(new Settings(), { applicationUrl: 'https://issuer.example' }));

export const configurationDescription: ControllerDescription = {
  tag: 'Operation',
  description: 'The service itself.',
  parameters: {},
  schemas: { Configuration: tree(describeSettings(Settings)) },
  operations: {
    show: {
      id: 'showConfiguration',
      summary: 'See the settings in force',
      description:
        'With defaults filled in. Secrets are shown as `(redacted)`, also those inside addresses; null stands for what is not set.',
      answers: [{ status: 200, description: 'All settings.', schema: reference('Configuration'), example }],
    },
  },
};

/** The settings as a tree of closed objects, one for each section. */
function tree(descriptions: readonly SettingDescription[], depth = 0): Schema {
  const names = new Set(descriptions.map(({ path }) => path[depth] ?? ''));
  return closedObject(
    Object.fromEntries(
      [...names].map((name) => {
        const below = descriptions.filter(({ path }) => path[depth] === name);
        const own = below.find(({ path }) => path.length === depth + 1);
        return [name, own ? leaf(own) : tree(below, depth + 1)];
      }),
    ),
  );
}

function leaf({ name, description, kind, initial }: SettingDescription): Schema {
  const { type, ...rest } = kinds[kind];
  return { type: initial === undefined ? [type, 'null'] : type, ...rest, description: `\`${name}\`: ${description}` };
}
