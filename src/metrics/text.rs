//! The two text formats. The library writes OpenMetrics; the older format of Prometheus, which `promtool check metrics`
//! and many collectors read, differs only in its comment lines.

/// The content type of OpenMetrics.
pub const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The content type of the older format.
pub const CLASSIC: &str = "text/plain; version=0.0.4; charset=utf-8";

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
    fn the_older_format_describes_samples_by_their_names() {
        let open_metrics = "# HELP a Made.\n# TYPE a counter\na_total{b=\"# x\"} 1\n# HELP s_seconds Time.\n\
                            # TYPE s_seconds gauge\n# UNIT s_seconds seconds\ns_seconds 0.5\n# HELP i Build.\n# TYPE i info\n\
                            i_info{v=\"1\"} 1\n# EOF\n";
        let expected = "# HELP a_total Made.\n# TYPE a_total counter\na_total{b=\"# x\"} 1\n# HELP s_seconds Time.\n\
                        # TYPE s_seconds gauge\ns_seconds 0.5\n# HELP i_info Build.\n# TYPE i_info gauge\ni_info{v=\"1\"} 1\n";
        assert_eq!(classic(open_metrics), expected);
    }
}
