import { useEffect, useState } from 'preact/hooks';
import { type Area, areas } from './area-names';

/** What the fragment of the address names: `#/offers/order-4711`. */
export interface Place {
  readonly area: Area;
  readonly ids: readonly string[];
  readonly query: URLSearchParams;
}

export function addressOf(area: Area, id?: string, query: Readonly<Record<string, string>> = {}): string {
  const path = id === undefined ? area : `${area}/${encodeURIComponent(id)}`;
  const search = new URLSearchParams(query).toString();
  return `#/${path}${search === '' ? '' : `?${search}`}`;
}

export function goTo(address: string): void {
  location.hash = address;
}

export function usePlace(): Place {
  const [place, setPlace] = useState(currentPlace);
  useEffect(() => {
    const follow = (): void => {
      setPlace(currentPlace());
    };
    addEventListener('hashchange', follow);
    return () => {
      removeEventListener('hashchange', follow);
    };
  }, []);
  return place;
}

function currentPlace(): Place {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const [name, ...ids] = path.split('/');
  const area = areas.find((one) => one === name) ?? 'start';
  return { area, ids: ids.map(decoded), query: new URLSearchParams(search) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
