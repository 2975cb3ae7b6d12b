/** Just enough of a browser: cookies of one server, redirects, and the one form of a page. */
export class Browser {
  private readonly cookies = new Map<string, string>();

  async open(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie && { cookie }) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      const at = pair.indexOf('=');
      if (/max-age=0|1970/i.test(line)) this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  cookie(name: string): string | undefined {
    return this.cookies.get(name);
  }

  /** Follows redirects and submits forms of the provider until it leads elsewhere, or shows a page without a form. */
  async throughProvider(issuer: string, url: string): Promise<string> {
    let next: [string, RequestInit?] = [url];
    for (let step = 0; step < 20; step++) {
      const response = await this.open(...next);
      const location = response.headers.get('location');
      if (location !== null) {
        const target = new URL(location, next[0]).href;
        if (!target.startsWith(issuer)) return target;
        next = [target];
        continue;
      }
      const page = await response.text();
      const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1];
      if (action === undefined) return page;
      const fields = [...page.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)].map(
        ([, name, value]) => [name, value] as [string, string],
      );
      next = [new URL(action, next[0]).href, { method: 'POST', body: new URLSearchParams(fields) }];
    }
    throw new Error(`no end of ${url}`);
  }
}
