//! The two text formats. The library writes OpenMetrics; the older format of Prometheus, which `promtool check metrics` and
//! many collectors read, differs only in its comment lines.

/// The content type of OpenMetrics.
pub const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The content type of the older format.
pub const CLASSIC: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Whether a client whose `accept` header is this one prefers OpenMetrics. Without a preference it gets the older format.
pub fn prefers_open_metrics(accept: &str) -> bool {
    let quality = |name: &str| {
        let ranges = accept.split(',').filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            if !parts.next()?.eq_ignore_ascii_case(name) {
                return None;
            }
            let (mut quality, mut is_known) = (1.0, true);
            for (name, value) in parts.filter_map(|part| part.split_once('=')) {
                match name.trim() {
                    "q" => quality = value.trim().parse().unwrap_or(0.0),
                    "version" => is_known = ["1.0.0", "0.0.1", "0.0.4"].contains(&value.trim()),
                    _ => {}
                }
            }
            is_known.then_some(quality)
        });
        ranges.fold(0.0, f32::max)
    };
    let open_metrics = quality("application/openmetrics-text");
    open_metrics > 0.0 && open_metrics >= quality("text/plain")
}

/// OpenMetrics in the older format: counters and infos are described under the names of their samples, and there are
/// neither units nor an end mark.
pub(super) fn classic(open_metrics: &str) -> String {
    let mut text = String::with_capacity(open_metrics.len());
    let mut help = "";
    for line in open_metrics.lines() {
        if let Some(described) = line.strip_prefix("# HELP ") {
            help = described;
        } else if let Some((name, kind)) =
            line.strip_prefix("# TYPE ").and_then(|typed| typed.split_once(' '))
        {
            let (suffix, kind) = match kind {
                "counter" => ("_total", kind),
                "info" => ("_info", "gauge"),
                "unknown" => ("", "untyped"),
                _ => ("", kind),
            };
            let (_, described) = help.split_once(' ').unwrap_or_default();
            text.extend(["# HELP ", name, suffix, " ", described, "\n"]);
            text.extend(["# TYPE ", name, suffix, " ", kind, "\n"]);
        } else if !line.starts_with('#') {
            text.extend([line, "\n"]);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_metrics_is_sent_to_those_that_prefer_it() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;\
                          q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
        for accept in [
            prometheus,
            "application/openmetrics-text",
            "Application/OpenMetrics-Text; version=1.0.0",
            "text/plain, application/openmetrics-text",
        ] {
            assert!(prefers_open_metrics(accept), "{accept}");
        }
        for accept in [
            "",
            "*/*",
            "text/plain",
            "text/html",
            "application/openmetrics-text;q=0",
            "application/openmetrics-text;q=0.2,text/plain;q=0.9",
            "application/openmetrics-text;version=2.0.0",
        ] {
            assert!(!prefers_open_metrics(accept), "{accept}");
        }
    }

    #[test]
    fn the_older_format_describes_samples_by_their_names() {
        let open_metrics = "# HELP a Made.\n# TYPE a counter\na_total{b=\"# x\"} 1\n# HELP s_seconds Time.\n\
                            # TYPE s_seconds gauge\n# UNIT s_seconds seconds\ns_seconds 0.5\n# HELP i Build.\n# TYPE i info\n\
                            i_info{v=\"1\"} 1\n# EOF\n";
        let expected = "# HELP a_total Made.\n# TYPE a_total counter\na_total{b=\"# x\"} 1\n# HELP s_seconds Time.\n\
                        # TYPE s_seconds gauge\ns_seconds 0.5\n# HELP i_info Build.\n# TYPE i_info gauge\ni_info{v=\"1\"} 1\n";
        assert_eq!(classic(open_metrics), expected);
    }
}
