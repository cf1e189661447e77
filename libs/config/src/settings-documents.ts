import { DEVELOPMENT_PASSWORD } from './derived-defaults';
import { describeSettings, type SettingDescription } from './setting';
import { Settings } from './settings';

/** The documents made from the description of the settings, by path from the root of the repository. */
export function settingsDocuments(): Record<string, string> {
  const descriptions = describeSettings(Settings);
  return {
    '.env.example': environmentExample(descriptions),
    'docs/configuration.md': configurationPage(descriptions),
  };
}

function environmentExample(descriptions: readonly SettingDescription[]): string {
  const head = [
    '# Generated from libs/config/src/settings.ts; change it there.',
    '# Copy to .env and uncomment what you set. Every setting: docs/configuration.md',
  ];
  const entries = descriptions.map(({ name, description, initial, defaultNote, secret }) =>
    [
      '',
      ...`${plain(description)}${secret ? ` Or name a file: ${name}_FILE` : ''}`.split('\n').map((line) => `# ${line}`),
      ...(defaultNote ? [`# Default: ${plain(defaultNote)}`] : []),
      `# ${name}=${defaultNote ? '' : written(initial)}`,
    ].join('\n'),
  );
  return [...head, ...entries, ''].join('\n');
}

function configurationPage(descriptions: readonly SettingDescription[]): string {
  const rows = descriptions.map(({ name, path, description, initial, defaultNote, secret, kind }) => {
    const fallback = defaultNote ?? (written(initial) === '' ? 'empty' : `\`${written(initial)}\``);
    return `| \`${name}\`<br>\`${path.join('.')}\` | ${kind}${secret ? ', secret' : ''} | ${fallback} | ${description} |`;
  });
  return [
    '# Configuration',
    '',
    '<!-- Generated from libs/config/src/settings.ts; change it there. -->',
    '',
    'Settings come from environment variables, from a `.env` file in the working directory, and from the YAML file that',
    '`SERVICE__CONFIG_FILE` names, in this order of precedence. The YAML file holds the same tree in camelCase',
    '(`config/example.yaml`). An empty variable counts as unset.',
    '',
    'For each secret `SERVICE__X` a variable `SERVICE__X_FILE` may name a file that holds the value; one line break at its',
    'end is ignored.',
    '',
    'With invalid settings the service does not start and lists every fault: the name, the class of what was found (never',
    'the value), and the remedy. Names that begin with `SERVICE__` and are not in this list are faults too.',
    '',
    '| name and place in YAML | kind | default | meaning |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    `In development the password of the key store is the well-known \`${DEVELOPMENT_PASSWORD}\` unless one is given;`,
    'production rejects it, as it rejects other sample passwords and keys, an http URL, the embedded store, and settings',
    'without a credential for the management API.',
    '',
  ].join('\n');
}

function written(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : String(value);
}

function plain(markdown: string): string {
  return markdown.replaceAll('`', '');
}
