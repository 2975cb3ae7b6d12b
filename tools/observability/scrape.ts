/** Which pods a scrape configuration keeps: as much of Prometheus' relabelling as ours uses. */

export interface Relabelling {
  source_labels: string[];
  regex?: string;
  action?: string;
}

/** @param labels those that the discovery of a pod has */
export const isScraped = (rules: Relabelling[], labels: Record<string, string>): boolean =>
  rules.every(({ source_labels: sources, regex = '.*', action }) => {
    const isMatch = new RegExp(`^(?:${regex})$`).test(sources.map((name) => labels[name] ?? '').join(';'));
    return action === 'keep' ? isMatch : action !== 'drop' || !isMatch;
  });
