/** Request targets that some proxy, server or framework might treat as `path`. */
export const pathVariants: Readonly<Record<string, (path: string) => string>> = {
  'as it is': (path) => path,
  'two slashes': (path) => `/${path}`,
  'three slashes': (path) => `//${path}`,
  'a dot segment before': (path) => `/.${path}`,
  'two dot segments before': (path) => `/./.${path}`,
  'up from the root': (path) => `/..${path}`,
  'up from another place': (path) => `/x/..${path}`,
  'up, encoded': (path) => `/x/%2e%2e${path}`,
  'up, half encoded': (path) => `/x/.%2E${path}`,
  'up, with an encoded slash': (path) => `/x/..%2f${path.slice(1)}`,
  'up, all encoded': (path) => `/x/%2e%2e%2f${path.slice(1)}`,
  'up, with a backslash': (path) => `/x/..\\${path.slice(1)}`,
  'up, with a parameter': (path) => `/x/..;${path}`,
  'a dot, encoded': (path) => `/%2e${path}`,
  'two dots, encoded': (path) => `/%2e%2e${path}`,
  'a parameter before': (path) => `/;${path}`,
  'a parameter with a value before': (path) => `/;x=1${path}`,
  'a parameter in the first segment': (path) => inFirst(path, (segment) => `${segment};x`),
  'a parameter with a value in the first segment': (path) => inFirst(path, (segment) => `${segment};v=0`),
  'a parameter at the end': (path) => `${path};x`,
  'the first segment in capitals': (path) => inFirst(path, (segment) => segment.toUpperCase()),
  'all in capitals': (path) => path.toUpperCase(),
  'the first segment encoded': (path) => inFirst(path, encoded),
  'all encoded': (path) => path.split('/').map(encoded).join('/'),
  'encoded twice': (path) => inFirst(path, (segment) => encoded(segment).replaceAll('%', '%25')),
  'encoded three times': (path) => inFirst(path, (segment) => encoded(segment).replaceAll('%', '%2525')),
  'encoded the way of old scripts': (path) => inFirst(path, (segment) => encoded(segment).replaceAll('%', '%u00')),
  'a leading slash encoded': (path) => `/%2f${path.slice(1)}`,
  'every slash encoded': (path) => `/${path.slice(1).replaceAll('/', '%2f')}`,
  'every slash an encoded backslash': (path) => `/${path.slice(1).replaceAll('/', '%5c')}`,
  'every slash a backslash': (path) => path.replaceAll('/', '\\'),
  'a backslash before': (path) => `/\\${path.slice(1)}`,
  'a backslash after the first segment': (path) => inFirst(path, (segment) => `${segment}\\..`),
  'doubled slashes within': (path) => `/${path.slice(1).replaceAll('/', '//')}`,
  'a dot segment within': (path) => inFirst(path, (segment) => `${segment}/.`),
  'up and down within': (path) => inFirst(path, (segment) => `${segment}/x/..`),
  'an encoded dot within': (path) => inFirst(path, (segment) => `${segment}/%2e`),
  'a slash at the end': (path) => `${path}/`,
  'two slashes at the end': (path) => `${path}//`,
  'a dot at the end': (path) => `${path}.`,
  'a dot segment at the end': (path) => `${path}/.`,
  'a dot after the first segment': (path) => inFirst(path, (segment) => `${segment}.`),
  'a space at the end': (path) => `${path}%20`,
  'a plus at the end': (path) => `${path}+`,
  'a null at the end': (path) => `${path}%00`,
  'a raw null at the end': (path) => `${path}\0`,
  'a null before': (path) => inFirst(path, (segment) => `%00${segment}`),
  'a null after the first segment': (path) => inFirst(path, (segment) => `${segment}%00`),
  'a line feed after the first segment': (path) => inFirst(path, (segment) => `${segment}%0a`),
  'a tab before': (path) => `/%09${path.slice(1)}`,
  'a raw tab at the end': (path) => `${path}\t`,
  'an overlong slash before': (path) => `/%c0%af${path.slice(1)}`,
  'a longer overlong slash before': (path) => `/%e0%80%af${path.slice(1)}`,
  'overlong letters': (path) => inFirst(path, overlong),
  'wide letters': (path) => inFirst(path, (segment) => encodeURIComponent(wide(segment))),
  'an invisible letter': (path) => inFirst(path, (segment) => `${segment}%e2%80%8b`),
  'a raw no-break space at the end': (path) => `${path}\u00a0`,
  'a raw no-break space before': (path) => `\u00a0${path}`,
  'raw high bytes': (path) => inFirst(path, (segment) => `\u00f6${segment}`),
  'a query': (path) => `${path}?x`,
  'an empty query': (path) => `${path}?`,
  'an encoded query': (path) => `${path}%3fx`,
  'a fragment': (path) => `${path}#x`,
  'an encoded fragment': (path) => `${path}%23x`,
  'within a query': (path) => `/?${path}`,
  'absolute form': (path) => `http://127.0.0.1${path}`,
  'absolute form in capitals': (path) => `HTTP://X${path}`,
  'absolute form with a port': (path) => `https://x:1${path}`,
  'absolute form with a user': (path) => `http://x:y@z${path}`,
  'absolute form with IPv6': (path) => `http://[::1]:1${path}`,
  'absolute form with two slashes': (path) => `http://x/${path}`,
  'absolute form with a dot segment': (path) => `http://x/.${path}`,
  'absolute form with backslashes': (path) => `http:\\\\x${path.replaceAll('/', '\\')}`,
  'absolute form without a host': (path) => `http://${path}`,
  'absolute form with one slash': (path) => `http:${path}`,
  'absolute form of another scheme': (path) => `ftp://x${path}`,
  'absolute form of a websocket': (path) => `ws://x${path}`,
  'a network path': (path) => `//127.0.0.1${path}`,
  'no slash at all': (path) => path.slice(1),
  'below a wallet endpoint': (path) => `/openid4vci${path}`,
  'up from a wallet endpoint': (path) => `/openid4vci/..${path}`,
  'up from an offer': (path) => `/openid4vci/offers/..%2f..%2f..${path.replaceAll('/', '%2f')}`,
  'up from a problem page': (path) => `/problems/..${path}`,
  'up from a probe': (path) => `/livez/..${path}`,
  'below the well-known addresses': (path) => `/.well-known${path}`,
  'up from a well-known address': (path) => `/.well-known/did.json/../..${path}`,
  'below the path of the public URL': (path) => `/base${path}`,
  'below the path of the public URL with two slashes': (path) => `/base/${path}`,
  'below it twice': (path) => `/base/base${path}`,
  'up from the path of the public URL': (path) => `/base/..${path}`,
  'below a well-known address and that path': (path) => `/.well-known/x/base/..${path}`,
  'absolute form below the path of the public URL': (path) => `http://x/base${path}`,
};

function inFirst(path: string, change: (segment: string) => string): string {
  const [, first = '', rest = ''] = /^\/([^/]+)(.*)$/.exec(path) ?? [];
  return `/${change(first)}${rest}`;
}

function encoded(text: string): string {
  return each(text, (code) => `%${code.toString(16)}`);
}

function overlong(text: string): string {
  return each(text, (code) => `%c1%${(0x80 | (code & 0x3f)).toString(16)}`);
}

function wide(text: string): string {
  return each(text, (code) => String.fromCodePoint(code + 0xfee0));
}

function each(text: string, change: (code: number) => string): string {
  return text.replace(/[!-~]/g, (letter) => change(letter.charCodeAt(0)));
}
