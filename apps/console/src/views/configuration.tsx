import type { VNode } from 'preact';
import { useResource } from '../api/use-api';
import { isObject, type Json, type JsonObject } from '../json';
import { ResourceView } from '../parts/resource-view';
import { Facts } from '../parts/value';
import { text } from '../texts';

/** The effective settings, by the names under which they are set. */
export function ConfigurationView(): VNode {
  const settings = useResource<JsonObject>('configuration');
  return (
    <>
      <h1>{text('common.configuration')}</h1>
      <p class="hint">{text('admin.settingsHint')}</p>
      <ResourceView resource={settings}>
        {(tree) => (
          <>
            <Facts
              facts={Object.entries(tree)
                .filter(([, value]) => !isObject(value))
                .map(([name, value]) => [`SERVICE__${settingName(name)}`, textOf(value)])}
            />
            {Object.entries(tree)
              .filter((entry): entry is [string, JsonObject] => isObject(entry[1]))
              .map(([section, members]) => (
                <section key={section} aria-labelledby={`section-${section}`}>
                  <h2 id={`section-${section}`}>SERVICE__{settingName(section)}</h2>
                  <Facts facts={Object.entries(members).map(([name, value]) => [settingName(name), textOf(value)])} />
                </section>
              ))}
          </>
        )}
      </ResourceView>
    </>
  );
}

function textOf(value: Json): string {
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
  if (isEmpty) return '—';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `apiKeys` is `API_KEYS`. */
function settingName(member: string): string {
  return member.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
}
