import { useContext, useEffect, useState } from 'preact/hooks';
import { type Display, nameIn } from '../form/card';
import { currentLanguage } from '../texts';
import { type ManagementApi, ProblemError } from './management-api';
import { ApiContext } from './use-api';

interface Named {
  readonly title?: string;
  readonly display?: readonly Display[];
}

/** Milliseconds for which a name is not asked for again. */
const believed = 60_000;
const known = new Map<string, { readonly named: Named | undefined; readonly until: number }>();
const asked = new Map<string, Promise<void>>();

/** The names of kinds of credentials in the language of the page; `…` until they are known, the id of one without a name. */
export function useKindNames(ids: readonly string[]): (id: string) => string {
  const api = useContext(ApiContext);
  const [, setRound] = useState(0);
  const missing = [...new Set(ids)].filter((id) => (known.get(id)?.until ?? 0) < performance.now());
  const wanted = missing.join('\n');
  useEffect(() => {
    let isGone = false;
    for (const id of wanted === '' ? [] : wanted.split('\n')) {
      void askOnce(api, id).then(() => {
        if (!isGone) setRound((round) => round + 1);
      });
    }
    return () => {
      isGone = true;
    };
  }, [api, wanted]);
  return (id) => {
    const found = known.get(id);
    if (!found) return '…';
    return nameIn(found.named?.display ?? [], currentLanguage()) ?? found.named?.title ?? id;
  };
}

function askOnce(api: ManagementApi, id: string): Promise<void> {
  const running = asked.get(id) ?? read(api, id).finally(() => asked.delete(id));
  asked.set(id, running);
  return running;
}

/** What is published or provisioned is a configuration; a draft and what was archived is a template only. */
async function read(api: ManagementApi, id: string): Promise<void> {
  let named: Named | undefined;
  for (const list of ['credential_configurations', 'templates']) {
    try {
      named ??= (await api.call('GET', `${list}/${encodeURIComponent(id)}`)) as Named;
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      if (error.problem.status !== 404) break;
    }
  }
  known.set(id, { named, until: performance.now() + believed });
}
