import {
  type CSSVariablesResolver,
  createTheme,
  localStorageColorSchemeManager,
  MantineProvider,
  type MantineColorsTuple,
} from '@mantine/core';
import type { ReactNode } from 'react';

const lagoon: MantineColorsTuple = [
  '#e7f8f9',
  '#d3eeef',
  '#a8dbde',
  '#7ac7cc',
  '#55b5bb',
  '#35a3aa',
  '#1c8b93',
  '#0b6e75',
  '#08585e',
  '#05444a',
];

const theme = createTheme({
  colors: { lagoon },
  primaryColor: 'lagoon',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  autoContrast: true,
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'Inter, "Segoe UI", system-ui, -apple-system, Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  components: {
    // A title in the colour of the outline has too little contrast.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
    // Rendered in the main part of the page, and without a placeholder between its items, as its role requires.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, portalProps: { target: '#content' } } },
    // Aligns the cells with the title of their panel.
    Table: { defaultProps: { horizontalSpacing: 'md', verticalSpacing: 'xs' } },
  },
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.05rem' } } },
});

/** Gives more contrast to text that Mantine shows too faintly for WCAG AA. */
const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#57606a',
    '--mantine-color-placeholder': '#646c75',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-anchor': 'var(--mantine-color-lagoon-7)',
    '--canvas': '#f5f7f8',
  },
  dark: {
    '--mantine-color-dimmed': '#a7b0ba',
    '--mantine-color-placeholder': '#98a1ab',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-anchor': 'var(--mantine-color-lagoon-3)',
    '--mantine-color-body': '#161b20',
    '--canvas': '#0f1317',
  },
});

const colorSchemes = localStorageColorSchemeManager({ key: 'lanyard-color-scheme' });

/** The nonce of this response, which style elements need (Content-Security-Policy). */
const nonce = document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? '';
// The code that locks the scroll position behind a dialog looks for the nonce under this name.
Object.assign(globalThis, { __webpack_nonce__: nonce });

export const Theme = ({ children }: { children: ReactNode }) => (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariablesResolver}
    colorSchemeManager={colorSchemes}
    defaultColorScheme="auto"
    getStyleNonce={() => nonce}
  >
    {children}
  </MantineProvider>
);
